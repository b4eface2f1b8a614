#include "engine/host/serial.hpp"

#include "engine/host/attempt.hpp"
#include "engine/host/attempt_batch.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/host/bookkeeping.hpp"
#include "engine/host/narrow_physics.hpp"

namespace kiln {
namespace {

// A lattice of at most so many bytes lives in a core's own cache, where fetching ahead costs more than it
// brings.
constexpr std::size_t kCached = std::size_t(1) << 20;

// Jump where fewer than this share of all (site, neighbour) pairs lie between different cells.
constexpr double kJumpBelow = 0.025;

// Judges attempts between two different cells and carries them out.
template <int Dim, class Physics>
struct Judge {
  State& state;
  const Physics& physics;
  const StateReader<Dim>& reader;
  AttemptCounts& counts;

  // True where the copy was made; `on_copy(world, copy)` is told.
  template <class OnCopy>
  KILN_HOT bool operator()(const HostAttempt<Dim>& a, float threshold, const OnCopy& on_copy) const {
    Copy copy;
    typename HostWorld<Dim>::Place source;
    if (!copy_of(reader, physics, a, copy, source)) return false;
    counts.live += 1;
    typename HostWorld<Dim>::Scratch scratch;
    HostWorld<Dim> world(reader, physics, copy, a.target, source, scratch);
    CopyChange change;
    if (!accepts<Dim>(physics, world, copy, threshold, change)) return false;
    counts.accepted += 1;
    apply_copy<Dim>(state, physics, copy, a.target.site, a.target.at, change);
    on_copy(world, copy);
    return true;
  }
};

}  // namespace

template <int Dim>
SerialEngine<Dim>::SerialEngine(State state, const Physics& physics, uint64_t seed, Jumping jumping,
                                std::unique_ptr<LivingStage> living)
    : state_(std::move(state)), seed_(seed), jumping_(jumping), living_(std::move(living)) {
  set_physics(physics);
}

template <int Dim>
void SerialEngine<Dim>::set_physics(const Physics& physics) {
  physics_ = physics;
  frozen_types_.assign(std::size_t(physics.adhesion.types), false);
  for (std::size_t type = 0; type < frozen_types_.size(); ++type)
    frozen_types_[type] = physics.types[type].frozen;
  blocks_are_current_ = false;
}

template <int Dim>
void SerialEngine<Dim>::advance(int64_t mcs) {
  with_narrow_physics(physics_, state_, [&](const auto& physics) {
    for (int64_t done = 0; done < mcs; ++done) {
      if (worth_jumping())
        try_live_blocks(physics);
      else
        try_every_site(physics);
      counts_.attempts += state_.lattice.sites();
      finish_mcs(state_, physics, living_.get());
      if (living_ == nullptr) continue;
      living_->require_success();
      if (living_->changed_lattice()) blocks_are_current_ = false;
    }
  });
}

// A function of the state alone, so that a resumed run decides alike.
template <int Dim>
bool SerialEngine<Dim>::worth_jumping() const {
  if (jumping_ != Jumping::automatic) return jumping_ == Jumping::always;
  double pairs = 0;
  for (const Cells::Extent& extent : state_.cells.extent) pairs += extent.perimeter;
  return pairs < kJumpBelow * double(state_.lattice.sites()) * physics_.perimeter_neighbours->count;
}

// Three batches are in flight: one is judged, the next is marked and its neighbourhoods fetched, and the one
// after is drawn and its sites fetched.
template <int Dim>
template <class Physics>
KILN_FLAT void SerialEngine<Dim>::try_every_site(const Physics& physics) {
  blocks_are_current_ = false;
  const StateReader<Dim> reader(state_);
  const Judge<Dim, Physics> judge{state_, physics, reader, counts_};
  const CellId* ids = state_.ids.data();
  const Site sites = state_.lattice.sites();
  const bool fetch_ahead = state_.ids.size() * sizeof(CellId) > kCached;
  constexpr int kSize = AttemptBatch<Dim>::kSize;
  AttemptBatch<Dim> batches[3];
  const auto draw = [&](AttemptBatch<Dim>& batch, Site first) {
    batch.draw(reader, seed_, uint32_t(state_.mcs), first, physics.temperature);
  };
  draw(batches[0], 0);
  draw(batches[1], kSize);
  batches[1].fetch_sites(reader, kSize);
  batches[0].open_between_cells(reader);
  int turn = 0;
  for (Site first = 0; first < sites; first += kSize, turn = (turn + 1) % 3) {
    AttemptBatch<Dim>& now = batches[turn];
    AttemptBatch<Dim>& next = batches[(turn + 1) % 3];
    AttemptBatch<Dim>& later = batches[(turn + 2) % 3];
    draw(later, first + 2 * kSize);
    next.open_between_cells(reader);
    while (now.any_open()) {
      if (fetch_ahead) {
        later.fetch_sites(reader, 4);
        next.fetch_one_neighbourhood(reader);
      }
      const int i = now.next_open();
      const CellId target_id = ids[now.target[i]], source_id = ids[now.source[i]];
      if (target_id == source_id) continue;
      if (!judge({{now.target[i], now.place(i), now.interior[i] != 0},
                  now.source[i],
                  now.direction[i],
                  target_id,
                  source_id},
                 now.threshold[i], [](const auto&, const Copy&) {}))
        continue;
      now.touch_later(i);
      next.touch(now.target[i], -1);
    }
    if (fetch_ahead) later.fetch_sites(reader, kSize);
  }
}

template <int Dim>
template <class Physics>
KILN_FLAT void SerialEngine<Dim>::try_live_blocks(const Physics& physics) {
  if (blocks_are_current_)
    blocks_.begin_mcs();
  else
    blocks_.rebuild(state_, frozen_types_);
  blocks_are_current_ = true;

  const StateReader<Dim> reader(state_);
  const Judge<Dim, Physics> judge{state_, physics, reader, counts_};
  const Lattice& lattice = state_.lattice;
  const double sites = double(lattice.sites());
  Site left = lattice.sites();
  Site live_sites = -1;
  double per_log2 = 0;  // 1 / log2(share of dead sites)
  bool jumped = false;
  for (uint64_t index = 0; blocks_.live_count() > 0; ++index) {
    const Draw bits = draw(seed_, Stream::live_attempts, index, uint32_t(state_.mcs));
    if (live_sites != blocks_.live_sites()) {
      live_sites = blocks_.live_sites();
      per_log2 = live_sites == lattice.sites() ? 0.0 : 1.0 / log2_of(1.0 - double(live_sites) / sites);
    }
    if (!jumped) {
      const double dead = log2_of((double(bits.d) + 0.5) * 0x1p-32) * per_log2;
      if (dead >= double(left)) return;
      left -= Site(dead);
      jumped = true;
    }
    Digits digits{bits.ab()};
    const int64_t block = digits.take(uint32_t(blocks_.live_count()));
    Vec3i place;
    if (!blocks_.site_of(lattice, block, int(digits.take(LiveBlocks<Dim>::kPlaces)), place)) continue;
    left -= 1;
    jumped = false;
    const int direction = int(digits.take(Moore<Dim>::kCount));
    const HostAttempt<Dim> attempt = attempt_at(reader, place, direction);
    if (attempt.is_null()) continue;
    judge(attempt, acceptance_threshold(physics.temperature, bits.c),
          [&](const HostWorld<Dim>& world, const Copy& copy) {
            blocks_.update(lattice, world.around_target(), place, copy.loser, copy.winner);
          });
  }
}

template class SerialEngine<2>;
template class SerialEngine<3>;

}  // namespace kiln
