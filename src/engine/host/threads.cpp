#include "engine/host/threads.hpp"

#include <algorithm>

#include "engine/host/bookkeeping.hpp"
#include "engine/host/narrow_physics.hpp"

namespace kiln {
namespace {

constexpr uint32_t kFirstStamp = 0xFFFFFFFEu;

}  // namespace

template <int Dim>
ThreadsEngine<Dim>::ThreadsEngine(State state, const Physics& physics, uint64_t seed,
                                  const tiles::Settings& settings, int threads)
    : state_(std::move(state)),
      physics_(physics),
      seed_(seed),
      settings_(settings),
      clock_(state_.lattice, settings.tile),
      reader_(state_),
      team_(threads),
      between_mcs_(team_),
      members_(std::size_t(threads)),
      members_per_cell_((uint64_t(threads) << 32) / std::max<uint64_t>(state_.cells.count(), 1)),
      claims_(state_.cells.count(), ~uint64_t(0)) {
  for (Member& m : members_) {
    m.stamp = kFirstStamp;
    m.outbox.resize(members_.size());
  }
}

template <int Dim>
AttemptCounts ThreadsEngine<Dim>::counts() const {
  AttemptCounts sum;
  for (const Member& m : members_) {
    sum.attempts += m.counts.attempts;
    sum.live += m.counts.live;
    sum.accepted += m.counts.accepted;
  }
  return sum;
}

template <int Dim>
void ThreadsEngine<Dim>::advance(int64_t mcs) {
  if (members_[0].stamp < 1u << 30) {
    std::fill(claims_.begin(), claims_.end(), ~uint64_t(0));
    for (Member& m : members_) m.stamp = kFirstStamp;
  }
  with_narrow_physics(physics_, state_.cells, [&](const auto& physics) {
    team_.run([&](int member) {
      for (int64_t done = 0; done < mcs; ++done) {
        const int64_t now = state_.mcs;
        for (uint64_t r = clock_.rounds_after(now); r < clock_.rounds_after(now + 1); ++r)
          play_round(physics, member, r);
        between_mcs_.finish_mcs(state_, physics, member);
      }
    });
  });
}

// Between two barriers no thread reads what another writes.
template <int Dim>
template <class Physics>
void ThreadsEngine<Dim>::play_round(const Physics& physics, int member, uint64_t number) {
  Member& me = members_[std::size_t(member)];
  const tiles::Round round = tiles::round_at(state_.lattice, settings_, seed_, number);
  me.open.clear();
  judge_all(physics, me, round, number);
  if (settings_.passes == 1) fill_outboxes(me);
  team_.wait();
  me.taken[(number + 1) % 2] = 0;  // last read in the round before
  for (int pass = 1; pass != settings_.passes; ++pass) {
    carry_out_owned(physics, me);
    me.stamp -= 1;
    team_.wait();
    if (!any_open()) return;
    judge_again(physics, me);
    team_.wait();
  }
  if (settings_.passes > 1) {
    drop_unclaimed(me);
    fill_outboxes(me);
    team_.wait();
  }
  carry_out_all(physics, me);
  team_.wait();
}

template <int Dim>
template <class Physics>
void ThreadsEngine<Dim>::judge_all(const Physics& physics, Member& me, const tiles::Round& round,
                                   uint64_t number) {
  // Every thread has a range of its own, so that cells and sites mostly stay in its cache; a thread that is
  // done takes groups from the ranges of the next.
  const uint32_t groups = (round.row_length() * round.rows() + tiles::kGroup - 1) / tiles::kGroup;
  const std::size_t count = members_.size(), self = std::size_t(&me - members_.data());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t owner = (self + k) % count;
    const uint32_t begin = uint32_t(uint64_t(groups) * owner / count);
    const uint32_t end = uint32_t(uint64_t(groups) * (owner + 1) / count);
    std::atomic<uint32_t>& taken = members_[owner].taken[number % 2];
    for (uint32_t group = begin + taken++; group < end; group = begin + taken++)
      judge_group(physics, me, round, number, group * tiles::kGroup);
  }
}

// First compacts, without branches, the attempts between different ids; at walls all pass.
template <int Dim>
template <class Physics>
void ThreadsEngine<Dim>::judge_group(const Physics& physics, Member& me, const tiles::Round& round,
                                     uint64_t number, uint32_t first) {
  constexpr uint32_t kGroup = tiles::kGroup, kStride = tiles::kStride;
  constexpr int kNeighbours = Moore<Dim>::kCount;
  alignas(64) uint64_t halves[2 * kStride];
  draw_many(seed_, Stream::tile_attempts, tiles::draw_index(number, first), uint32_t(number), int(kStride),
            halves);
  alignas(64) uint32_t words[kGroup];
  for (uint32_t i = 0; i < kStride; ++i) {
    words[i] = uint32_t(halves[2 * i]);
    words[i + kStride] = uint32_t(halves[2 * i] >> 32);
    words[i + 2 * kStride] = uint32_t(halves[2 * i + 1]);
    words[i + 3 * kStride] = uint32_t(halves[2 * i + 1] >> 32);
  }
  const uint32_t width = uint32_t(round.count.x), row_length = round.row_length();
  const uint32_t count = std::min(kGroup, row_length * round.rows() - first);
  const Lattice& lattice = state_.lattice;
  uint32_t row = first / row_length, column = first % row_length;
  for (uint32_t i = 0, numbers; i < count; i += numbers, ++row, column = 0) {
    numbers = std::min(count - i, row_length - column);
    const uint32_t length = std::min(column + numbers, std::max(width, column)) - column;
    const tiles::Row targets =
        round.row_at(lattice, row % uint32_t(round.count.y), row / uint32_t(round.count.y));
    Vec3i place{0, targets.first.y, targets.first.z};
    if (!lattice.contains(1, place.y) || !lattice.contains(2, place.z)) continue;
    const bool inner_row = reader_.is_inner(1, place.y) && (Dim == 2 || reader_.is_inner(2, place.z));
    const CellId* ids = reader_.ids() + lattice.index(place);
    uint8_t live[kGroup];
    uint32_t lives = 0, voids = 0;
    for (uint32_t k = 0; k < length; ++k) {
      live[lives] = uint8_t(k);
      const int32_t x = targets.x_of(int32_t(column + k));
      bool may_be_live = true;
      if (inner_row) {
        const bool edge = !reader_.is_inner(0, x);
        const int direction = tiles::direction_of(words[i + k], kNeighbours);
        const Site target = edge ? 0 : x, step = edge ? 0 : reader_.neighbour_offset(direction);
        may_be_live = (ids[target] != ids[target + step]) | edge;
      }
      lives += may_be_live ? 1 : 0;
    }
    for (uint32_t j = 0; j < lives; ++j) {
      const uint32_t k = live[j], word = words[i + k];
      place.x = targets.x_of(int32_t(column + k));
      if (!lattice.contains(0, place.x)) {
        voids += 1;
        continue;
      }
      judge(physics, me, place, tiles::direction_of(word, kNeighbours),
            acceptance_threshold(physics.temperature, tiles::threshold_bits_of(word, kNeighbours)),
            tiles::priority_of(first + i + k, round.priority_key));
    }
    me.counts.attempts += length - voids;
  }
}

template <int Dim>
template <class Physics>
KILN_FLAT void ThreadsEngine<Dim>::judge(const Physics& physics, Member& me, const Vec3i& place,
                                         int direction, float threshold, uint32_t priority) {
  const HostAttempt<Dim> attempt = attempt_at(reader_, place, direction);
  if (attempt.is_null()) return;
  Copy copy;
  typename HostWorld<Dim>::Place source;
  if (!copy_of(reader_, physics, attempt, copy, source)) return;
  me.counts.live += 1;
  typename HostWorld<Dim>::Scratch scratch;
  HostWorld<Dim> world(reader_, physics, copy, attempt.target, source, scratch);
  float surroundings;
  if (!local_delta<Dim>(physics, world, copy, surroundings)) return;
  const CopyChange change = change_of(physics, world, copy);
  const float dh = surroundings + cells_delta(physics, world, copy, change);
  if (lowest_delta(physics, copy, dh) - threshold > settings_.hopeless) return;
  const bool accepted = accepts_with_bounded(physics, world, copy, dh, threshold);
  if (settings_.passes == 1 && !accepted) return;
  me.open.push_back({{place, copy, change, surroundings, threshold}, priority, uint8_t(direction), accepted});
  if (accepted && settings_.passes != 1) claim(me, me.open.back());
}

template <int Dim>
template <class Physics>
KILN_FLAT bool ThreadsEngine<Dim>::accepts_now(const Physics& physics, const Open& a) const {
  Copy copy = a.copy();
  const float dh = a.surroundings + cells_delta(physics, reader_, copy, a.change());
  if (lowest_delta(physics, copy, dh) > a.threshold) return false;
  if (!any_in_use(physics, [](auto term) { return decltype(term)::kScope == TermScope::bounded; }))
    return true;
  // Nothing around target and source has changed since the round began.
  copy.step = reader_.step_from(a.direction);
  copy.source = a.target - copy.step;
  state_.lattice.wrap(copy.source);
  const Lattice& lattice = state_.lattice;
  const typename HostWorld<Dim>::Place target{lattice.index(a.target), a.target,
                                              reader_.is_interior(a.target)},
      source{lattice.index(copy.source), copy.source, reader_.is_interior(copy.source)};
  typename HostWorld<Dim>::Scratch scratch;
  HostWorld<Dim> world(reader_, physics, copy, target, source, scratch);
  return accepts_with_bounded(physics, world, copy, dh, a.threshold);
}

template <int Dim>
void ThreadsEngine<Dim>::claim(const Member& me, const Open& a) {
  const uint64_t mine = tiles::claim_of(me.stamp, a.priority);
  for (const CellId cell : {a.winner, a.loser}) {
    if (cell == kMedium) continue;
    std::atomic_ref<uint64_t> claim(claims_[cell]);
    uint64_t standing = claim.load(std::memory_order_relaxed);
    while (mine < standing && !claim.compare_exchange_weak(standing, mine, std::memory_order_relaxed)) {
    }
  }
}

template <int Dim>
template <class Physics>
void ThreadsEngine<Dim>::judge_again(const Physics& physics, Member& me) {
  for (Open& a : me.open) {
    a.accepted = accepts_now(physics, a);
    if (a.accepted) claim(me, a);
  }
}

template <int Dim>
template <class Physics>
void ThreadsEngine<Dim>::carry_out_owned(const Physics& physics, Member& me) {
  std::size_t kept = 0;
  for (const Open& a : me.open) {
    const uint64_t mine = tiles::claim_of(me.stamp, a.priority);
    const bool winner_taken = a.winner != kMedium && claims_[a.winner] < mine;
    const bool loser_taken = a.loser != kMedium && claims_[a.loser] < mine;
    if (winner_taken || loser_taken) {
      me.open[kept++] = a;
    } else if (a.accepted) {
      apply_copy<Dim>(state_, physics, a.copy(), state_.lattice.index(a.target), a.target, a.change());
      me.counts.accepted += 1;
    }
  }
  me.open.erase(me.open.begin() + std::ptrdiff_t(kept), me.open.end());
  me.still_open = kept;
}

// Last pass: rejects attempts that lost the claim on their losing cell.
template <int Dim>
void ThreadsEngine<Dim>::drop_unclaimed(Member& me) {
  for (Open& a : me.open)
    if (a.loser != kMedium && claims_[a.loser] < tiles::claim_of(me.stamp, a.priority)) a.accepted = false;
  me.stamp -= 1;
}

// Several copies may change the same cell, so every thread owns a share of the cells and alone changes them:
// cheaper than atomics, and most cells of a thread's copies are its own.
template <int Dim>
void ThreadsEngine<Dim>::fill_outboxes(Member& me) {
  for (auto& box : me.outbox) box.clear();
  for (const Open& a : me.open) {
    if (!a.accepted) continue;
    for (const bool wins : {false, true}) {
      const CellId cell = wins ? a.winner : a.loser;
      Member& owner = owner_of(cell);
      if (cell != kMedium && &owner != &me)
        me.outbox[std::size_t(&owner - members_.data())].push_back({uint32_t(&a - me.open.data()), wins});
    }
  }
}

template <int Dim>
template <class Physics>
void ThreadsEngine<Dim>::carry_out_all(const Physics& physics, Member& me) {
  const auto move = [this](const Open& a, bool wins) {
    gain_site<Dim, Physics::kMoments>(state_.lattice, state_.cells, wins ? a.winner : a.loser, a.target,
                                      wins ? +1 : -1, wins ? a.winner_perimeter : a.loser_perimeter);
  };
  for (const Open& a : me.open) {
    if (!a.accepted) continue;
    if (a.loser != kMedium && &owner_of(a.loser) == &me) move(a, false);
    if (a.winner != kMedium && &owner_of(a.winner) == &me) move(a, true);
    put_site(state_, physics, state_.lattice.index(a.target), a.winner, a.winner_type);
    me.counts.accepted += 1;
  }
  for (const Member& m : members_)
    for (const HalfCopy& half : m.outbox[std::size_t(&me - members_.data())])
      move(m.open[half.open], half.wins);
}

template <int Dim>
bool ThreadsEngine<Dim>::any_open() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.still_open > 0; });
}

template class ThreadsEngine<2>;
template class ThreadsEngine<3>;

}  // namespace kiln
