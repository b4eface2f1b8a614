#include "engine/serial.hpp"

#include <algorithm>
#include <bit>

#include "engine/attempt_draws.hpp"
#include "engine/bookkeeping.hpp"
#include "engine/host_world.hpp"

namespace kiln {

// Attempts to come, as arrays: the source is -1 where it lies beyond a closed wall.
template <int Dim>
struct SerialEngine<Dim>::Batch {
  static constexpr int kSize = 64;  // one bit each in a word
  int count = 0;
  AttemptDraws<Dim, kSize> draws;
  Site target[kSize], source[kSize];
  uint32_t target_low[kSize], source_low[kSize];
  uint32_t interior[kSize];
  float threshold[kSize];

  Vec3i place(int i) const { return {draws.x[i], draws.y[i], draws.z[i]}; }

  // The attempts between two different cells, as bits. The others are null.
  uint64_t between_cells(const CellId* ids) const {
    uint64_t bits = 0;
    for (int i = 0; i < count; ++i) {
      const Site from = source[i] < 0 ? target[i] : source[i];
      bits |= uint64_t(ids[target[i]] != ids[from]) << i;
    }
    return bits;
  }

  // The attempts after number i that look at its target. Compares the low words first, which nearly always settles
  // it, and four at a time.
  uint64_t touching_target_after(int i) const {
    const uint32_t key = target_low[i];
    uint32_t any = 0;
    for (int k = i + 1; k < count; ++k) any |= uint32_t(target_low[k] == key) | uint32_t(source_low[k] == key);
    if (any == 0) return 0;
    uint64_t bits = 0;
    for (int k = i + 1; k < count; ++k)
      bits |= uint64_t(source[k] >= 0 && (target[k] == target[i] || source[k] == target[i])) << k;
    return bits;
  }
};

namespace {

// A lattice of at most so many bytes lives in a core's own cache, where fetching ahead only costs.
constexpr std::size_t kCached = std::size_t(1) << 16;

// Jump where fewer than this share of all (site, neighbour) pairs lie between different cells.
constexpr double kJumpBelow = 0.10;

// Everything that one attempt needs, by reference.
template <int Dim>
struct Attempt {
  State& state;
  const Physics& physics;
  const LatticeReader<Dim>& around;
  AttemptCounts& counts;

  // Judges the copy from source to target, two different cells, and carries it out; true where it did.
  // `on_copy(world, copy)` is told.
  template <class OnCopy>
  bool judge_and_apply(const typename HostWorld<Dim>::Place& target, Site source_site, int direction,
                       CellId target_id, CellId source_id, float threshold, const OnCopy& on_copy) const {
    const Cells& cells = state.cells;
    Copy copy{source_id, target_id, cells.type[source_id], cells.type[target_id], {}, {}};
    if (physics.uses.frozen) {
      const bool source_frozen = physics.types[copy.winner_type].frozen;
      if (!frozen::is_live(target_id, physics.types[copy.loser_type].frozen, source_id, source_frozen)) return false;
      copy.winner = frozen::effective_source(source_id, source_frozen);
      copy.winner_type = cells.type[copy.winner];
    }
    counts.live += 1;
    __builtin_prefetch(&cells.centroid[copy.winner]);
    __builtin_prefetch(&cells.centroid[copy.loser]);
    const Vec3i offset = Moore<Dim>::offset(direction);
    copy.step = offset * -1;
    copy.source = target.at + offset;
    if (!target.interior) state.lattice.wrap(copy.source);
    HostWorld<Dim> world(around, state, physics, copy, target,
                         {source_site, copy.source, physics.uses.act && around.is_interior(copy.source)});
    if (!accepts<Dim>(physics, world, copy, threshold)) return false;
    counts.accepted += 1;
    apply_copy(state, physics, copy, target.site, target.at, perimeter_tally(physics, world, copy));
    on_copy(world, copy);
    return true;
  }
};

}  // namespace

template <int Dim>
SerialEngine<Dim>::SerialEngine(State state, const Physics& physics, uint64_t seed, Jumping jumping)
    : state_(std::move(state)), seed_(seed), jumping_(jumping) {
  set_physics(physics);
}

template <int Dim>
void SerialEngine<Dim>::set_physics(const Physics& physics) {
  physics_ = physics;
  frozen_types_.assign(std::size_t(physics.adhesion.types), false);
  for (std::size_t type = 0; type < frozen_types_.size(); ++type) frozen_types_[type] = physics.types[type].frozen;
  blocks_are_current_ = false;
}

template <int Dim>
void SerialEngine<Dim>::advance(int64_t mcs) {
  for (int64_t done = 0; done < mcs; ++done) {
    if (worth_jumping()) try_live_blocks();
    else try_every_site();
    counts_.attempts += state_.lattice.sites();
    finish_mcs(state_, physics_);
  }
}

// A function of the state alone, so that a resumed run decides alike.
template <int Dim>
bool SerialEngine<Dim>::worth_jumping() const {
  if (jumping_ != Jumping::automatic) return jumping_ == Jumping::always;
  double pairs = 0;
  for (const Cells::Extent& extent : state_.cells.extent) pairs += extent.perimeter;
  return pairs < kJumpBelow * double(state_.lattice.sites()) * physics_.perimeter_neighbours->count;
}

template <int Dim>
void SerialEngine<Dim>::draw_batch(Batch& batch, const LatticeReader<Dim>& around, Site first) const {
  constexpr int kSize = Batch::kSize;
  batch.count = int(std::clamp<Site>(state_.lattice.sites() - first, 0, kSize));
  if (batch.count == 0) return;
  const Lattice lattice = state_.lattice;
  batch.draws.make(seed_, first, uint32_t(state_.mcs), lattice);
  const auto &x = batch.draws.x, &y = batch.draws.y, &z = batch.draws.z;
  for (int i = 0; i < kSize; ++i)
    batch.threshold[i] = acceptance_threshold(physics_.temperature, batch.draws.threshold_bits[i]);
  for (int i = 0; i < kSize; ++i) batch.interior[i] = around.is_interior({x[i], y[i], z[i]});
  for (int i = 0; i < kSize; ++i)
    batch.target[i] = Site(uint64_t(uint32_t(z[i] * lattice.size.y + y[i])) * uint32_t(lattice.size.x)) + x[i];
  for (int i = 0; i < batch.count; ++i) {
    const int direction = batch.draws.direction[i];
    const Site target = batch.target[i];
    Site source = target + around.neighbour_offset(direction);
    if (batch.interior[i] == 0) [[unlikely]] source = around.neighbour_anywhere(batch.place(i), direction);
    batch.source[i] = source;
    batch.target_low[i] = uint32_t(target);
    batch.source_low[i] = uint32_t(source);
    __builtin_prefetch(around.ids() + target);
    __builtin_prefetch(around.ids() + source);
  }
}

template <int Dim>
void SerialEngine<Dim>::try_every_site() {
  blocks_are_current_ = false;
  const LatticeReader<Dim> around(state_);
  const Attempt<Dim> attempt{state_, physics_, around, counts_};
  const CellId* ids = state_.ids.data();
  const Site sites = state_.lattice.sites();
  const bool fetch_ahead = state_.ids.size() * sizeof(CellId) > kCached;
  const auto ignore = [](const auto&, const Copy&) {};
  Batch batches[2];
  draw_batch(batches[0], around, 0);
  int now = 0;
  for (Site first = 0; first < sites; first += Batch::kSize, now ^= 1) {
    draw_batch(batches[now ^ 1], around, first + Batch::kSize);
    const Batch& batch = batches[now];
    uint64_t open = batch.between_cells(ids);
    for (uint64_t bits = fetch_ahead ? open : 0; bits != 0; bits &= bits - 1) {
      const int i = std::countr_zero(bits);
      if (batch.interior[i]) around.prefetch_rows(batch.target[i]);
      __builtin_prefetch(&state_.cells.extent[ids[batch.target[i]]]);
      __builtin_prefetch(&state_.cells.extent[ids[batch.source[i]]]);
    }
    while (open != 0) {
      const int i = std::countr_zero(open);
      open &= open - 1;
      const CellId target_id = ids[batch.target[i]], source_id = ids[batch.source[i]];
      if (target_id == source_id) continue;
      if (!attempt.judge_and_apply({batch.target[i], batch.place(i), batch.interior[i] != 0}, batch.source[i],
                                   batch.draws.direction[i], target_id, source_id, batch.threshold[i], ignore))
        continue;
      // A null attempt later in the batch may have come to life.
      open |= batch.touching_target_after(i);
    }
  }
}

template <int Dim>
void SerialEngine<Dim>::try_live_blocks() {
  if (blocks_are_current_) blocks_.begin_mcs();
  else blocks_.rebuild(state_, frozen_types_);
  blocks_are_current_ = true;

  const LatticeReader<Dim> around(state_);
  const Attempt<Dim> attempt{state_, physics_, around, counts_};
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
    const bool interior = around.is_interior(place);
    const Site target = lattice.index(place);
    const Site source =
        interior ? target + around.neighbour_offset(direction) : around.neighbour_anywhere(place, direction);
    if (source < 0) continue;
    const CellId target_id = state_.ids[std::size_t(target)], source_id = state_.ids[std::size_t(source)];
    if (target_id == source_id) continue;
    attempt.judge_and_apply({target, place, interior}, source, direction, target_id, source_id,
                            acceptance_threshold(physics_.temperature, bits.c),
                            [&](const HostWorld<Dim>& world, const Copy& copy) {
                              blocks_.update(lattice, world.around_target(), place, copy.loser, copy.winner);
                            });
  }
}

template class SerialEngine<2>;
template class SerialEngine<3>;

}  // namespace kiln
