// The functions of TilesPlayer, for the files that make one.
#pragma once

#include <algorithm>

#include "engine/host/bookkeeping.hpp"
#include "engine/host/narrow_physics.hpp"
#include "engine/host/tiles_player.hpp"
#include "engine/schedule/rows_near.hpp"

namespace kiln {

inline constexpr uint32_t kFirstStamp = 0xFFFFFFFEu;

template <int Dim, class Part>
TilesPlayer<Dim, Part>::TilesPlayer(State& state, const SiteFrame& frame, uint64_t seed,
                                    const tiles::Settings& settings, int threads, Part& part,
                                    std::unique_ptr<LivingStage> living)
    : state_(state),
      frame_(frame),
      seed_(seed),
      settings_(settings),
      clock_(frame.lattice, settings.tile),
      reader_(state_),
      team_(threads),
      part_(part),
      living_(std::move(living)),
      between_mcs_(team_, frame_, how_to_unite(), living_.get()),
      members_(std::size_t(threads)) {
  for (Member& m : members_) {
    m.stamp = kFirstStamp;
    m.outbox.resize(members_.size());
  }
  fit_to_cells();
}

template <int Dim, class Part>
BetweenMcs::Unite TilesPlayer<Dim, Part>::how_to_unite() {
  if constexpr (!Part::kCut)
    return {};
  else
    return [this](const BetweenMcs::Moved& moved) { attempt([&] { part_.unite_sums(moved); }); };
}

template <int Dim, class Part>
void TilesPlayer<Dim, Part>::fit_to_cells() {
  const std::size_t cells = state_.cells.count();
  reader_ = StateReader<Dim>(state_);
  members_per_cell_ = (uint64_t(members_.size()) << 32) / std::max<uint64_t>(cells, 1);
  claims_.resize(cells, ~uint64_t(0));
}

template <int Dim, class Part>
AttemptCounts TilesPlayer<Dim, Part>::counts() const {
  AttemptCounts sum;
  for (const Member& m : members_) {
    sum.attempts += m.counts.attempts;
    sum.live += m.counts.live;
    sum.accepted += m.counts.accepted;
  }
  return sum;
}

template <int Dim, class Part>
void TilesPlayer<Dim, Part>::advance(const Physics& physics, int64_t mcs) {
  if (members_[0].stamp < 1u << 30) {
    std::fill(claims_.begin(), claims_.end(), ~uint64_t(0));
    for (Member& m : members_) m.stamp = kFirstStamp;
  }
  with_narrow_physics(physics, state_, [&](const auto& narrow) {
    if constexpr (Part::kCut) {
      const auto placed = part_.placed(narrow);
      team_.run([&](int member) { play(placed, member, mcs); });
    } else {
      team_.run([&](int member) { play(narrow, member, mcs); });
    }
  });
  if (failure_) std::rethrow_exception(failure_);
  if (living_ != nullptr) living_->require_success();
}

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::play(const Physics& physics, int member, int64_t mcs) {
  for (int64_t done = 0; done < mcs; ++done) {
    const int64_t now = state_.mcs;
    for (uint64_t r = clock_.rounds_after(now); r < clock_.rounds_after(now + 1); ++r) {
      if constexpr (Part::kCut) meet_newcomers(member);
      play_round(physics, member, r);
      if (Part::kCut && failure_) return;
    }
    between_mcs_.finish_mcs(state_, physics, member);
    if (Part::kCut && failure_) return;
    if (living_ == nullptr) continue;
    if (living_->has_failed()) return;
    if (living_->changed_lattice()) one_of_all(members_[std::size_t(member)], [&] { fit_to_cells(); });
  }
}

// Between two barriers no thread reads what another writes.
template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::play_round(const Physics& physics, int member, uint64_t number) {
  Member& me = members_[std::size_t(member)];
  const tiles::Round round = tiles::round_at(frame_.lattice, settings_, seed_, number);
  me.open.clear();
  judge_all(physics, me, round, number);
  if (settings_.passes == 1) fill_outboxes(me);
  team_.wait();
  me.taken[(number + 1) % 2] = 0;  // last read in the round before
  for (int pass = 1; pass != settings_.passes; ++pass) {
    if constexpr (Part::kCut) hear_claims(me);
    carry_out_owned(physics, me);
    if constexpr (Part::kCut) hear_copies(physics, me);
    me.stamp -= 1;
    team_.wait();
    if (!any_open(me)) return;
    judge_again(physics, me);
    team_.wait();
  }
  if (settings_.passes > 1) {
    if constexpr (Part::kCut) hear_claims(me);
    drop_unclaimed(me);
    fill_outboxes(me);
    team_.wait();
  }
  carry_out_all(physics, me);
  if constexpr (Part::kCut) hear_copies(physics, me);
  team_.wait();
}

// Every thread has a range of its own, so that cells and sites mostly stay in its cache; a thread that is
// done takes units from the ranges of the next.
template <int Dim, class Part>
template <class Work>
void TilesPlayer<Dim, Part>::share_work(Member& me, uint64_t number, uint32_t units, const Work& work) {
  const std::size_t count = members_.size(), self = std::size_t(&me - members_.data());
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t owner = (self + k) % count;
    const uint32_t begin = uint32_t(uint64_t(units) * owner / count);
    const uint32_t end = uint32_t(uint64_t(units) * (owner + 1) / count);
    std::atomic<uint32_t>& taken = members_[owner].taken[number % 2];
    for (uint32_t unit = begin + taken++; unit < end; unit = begin + taken++) work(unit);
  }
}

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::judge_all(const Physics& physics, Member& me, const tiles::Round& round,
                                       uint64_t number) {
  if constexpr (Part::kCut) {
    const tiles::RowsNear rows(round, frame_.lattice, frame_.own.shifted(frame_.origin));
    share_work(me, number, rows.count(), [&](uint32_t unit) {
      judge_own_row(physics, me, round, number, rows.j_of(unit), rows.k_of(unit));
    });
  } else {
    const auto groups = uint32_t((round.tiles() + tiles::kGroup - 1) / tiles::kGroup);
    share_work(me, number, groups, [&](uint32_t group) {
      judge_group(physics, me, round, number, uint64_t(group) * tiles::kGroup);
    });
  }
}

// The words of kGroup tiles from `first` on, a multiple of it.
template <int Dim, class Part>
struct TilesPlayer<Dim, Part>::GroupWords {
  alignas(64) uint32_t of[tiles::kGroup];

  GroupWords(uint64_t seed, uint64_t round, uint64_t first) {
    constexpr uint32_t kStride = tiles::kStride;
    alignas(64) uint64_t halves[2 * kStride];
    draw_many(seed, Stream::tile_attempts, tiles::draw_index(round, first), uint32_t(round), int(kStride),
              halves);
    for (uint32_t i = 0; i < kStride; ++i) {
      of[i] = uint32_t(halves[2 * i]);
      of[i + kStride] = uint32_t(halves[2 * i] >> 32);
      of[i + 2 * kStride] = uint32_t(halves[2 * i + 1]);
      of[i + 3 * kStride] = uint32_t(halves[2 * i + 1] >> 32);
    }
  }
};

// Neighbouring targets of a row, at most kGroup.
template <int Dim, class Part>
struct TilesPlayer<Dim, Part>::Stretch {
  tiles::Row targets;
  uint32_t column, length;
  uint32_t tile;  // the lower half of the first one's number
  uint32_t at;    // its word in the group's
};

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::judge_group(const Physics& physics, Member& me, const tiles::Round& round,
                                         uint64_t number, uint64_t first) {
  const Lattice& lattice = reader_.lattice();
  const GroupWords words(seed_, number, first);
  const uint32_t width = uint32_t(round.count.x), row_length = round.row_length();
  const auto count = uint32_t(std::min<uint64_t>(tiles::kGroup, round.tiles() - first));
  auto row = uint32_t(first / row_length), column = uint32_t(first % row_length);
  for (uint32_t i = 0, numbers; i < count; i += numbers, ++row, column = 0) {
    numbers = std::min(count - i, row_length - column);
    const uint32_t length = std::min(column + numbers, std::max(width, column)) - column;
    const tiles::Row targets =
        round.row_at(lattice, row % uint32_t(round.count.y), row / uint32_t(round.count.y));
    if (!lattice.contains(1, targets.first.y) || !lattice.contains(2, targets.first.z)) continue;
    judge_stretch(physics, me, round, {targets, column, length, uint32_t(first) + i, i}, words);
  }
}

// Row (j, k) of tiles, as far as its targets lie in the brick.
template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::judge_own_row(const Physics& physics, Member& me, const tiles::Round& round,
                                           uint64_t number, uint32_t j, uint32_t k) {
  tiles::Row targets = round.row_at(frame_.lattice, j, k);
  targets.first = targets.first - frame_.origin;
  const Box& own = frame_.own;
  if (targets.first.y < own.low.y || targets.first.y >= own.high.y) return;
  if (targets.first.z < own.low.z || targets.first.z >= own.high.z) return;
  const auto begin = uint32_t(tiles::column_from(targets, round.count.x, own.low.x));
  const auto end = uint32_t(tiles::column_from(targets, round.count.x, own.high.x));
  const uint64_t row = (uint64_t(k) * uint32_t(round.count.y) + j) * round.row_length();
  for (uint32_t column = begin; column < end;) {
    const uint64_t tile = row + column, first = tile / tiles::kGroup * tiles::kGroup;
    const auto at = uint32_t(tile - first), length = std::min(end - column, tiles::kGroup - at);
    const GroupWords words(seed_, number, first);
    judge_stretch(physics, me, round, {targets, column, length, uint32_t(tile), at}, words);
    column += length;
  }
}

// Lists, without branches, the attempts of a row between different ids; at walls all pass.
template <int Dim, class Part>
[[gnu::noinline]] uint32_t TilesPlayer<Dim, Part>::find_live(const StateReader<Dim>& reader,
                                                             const CellId* ids, const Stretch& stretch,
                                                             const uint32_t* words,
                                                             uint8_t* __restrict live) {
  const tiles::Row& targets = stretch.targets;
  const int32_t width = targets.width;
  uint32_t lives = 0;
  const auto look_at = [&, inner = reader.places_inside(0)](uint32_t begin, uint32_t end) {
    int32_t x = targets.x_of(int32_t(stretch.column + begin));
    for (uint32_t k = begin; k < end; ++k, x += width) {
      live[lives] = uint8_t(k);
      const bool edge = uint32_t(x - 1) >= inner;
      const int direction = tiles::direction_of(words[k], Moore<Dim>::kCount);
      const Site target = edge ? 0 : x, step = edge ? 0 : reader.neighbour_offset(direction);
      lives += (ids[target] != ids[target + step]) | edge ? 1 : 0;
    }
  };
  const auto before_gap =
      uint32_t(std::clamp<int64_t>(int64_t(targets.split) - int64_t(stretch.column), 0, stretch.length));
  look_at(0, before_gap);
  look_at(before_gap, stretch.length);
  return lives;
}

inline uint32_t list_all(uint32_t length, uint8_t* live) {
  for (uint32_t k = 0; k < length; ++k) live[k] = uint8_t(k);
  return length;
}

template <int Dim, class Part>
template <class Physics>
KILN_HOT void TilesPlayer<Dim, Part>::judge_stretch(const Physics& physics, Member& me,
                                                    const tiles::Round& round, const Stretch& stretch,
                                                    const GroupWords& words) {
  constexpr int kNeighbours = Moore<Dim>::kCount;
  const tiles::Row targets = stretch.targets;
  const uint32_t column = stretch.column, length = stretch.length, tile = stretch.tile, i = stretch.at;
  Vec3i place{0, targets.first.y, targets.first.z};
  const Lattice& lattice = reader_.lattice();
  const bool inner_row = reader_.is_inner(1, place.y) && (Dim == 2 || reader_.is_inner(2, place.z));
  const CellId* ids = reader_.ids() + lattice.index(place);
  uint8_t live[tiles::kGroup];
  uint32_t voids = 0;
  const uint32_t lives =
      inner_row ? find_live(reader_, ids, stretch, words.of + i, live) : list_all(length, live);
  for (uint32_t j = 0; j < lives; ++j) {
    const uint32_t k = live[j], word = words.of[i + k];
    place.x = targets.x_of(int32_t(column + k));
    if (!lattice.contains(0, place.x)) {
      voids += 1;
      continue;
    }
    judge(physics, me, place, tiles::direction_of(word, kNeighbours),
          acceptance_threshold(physics.temperature, tiles::threshold_bits_of(word, kNeighbours)),
          tiles::priority_of(tile + k, round.priority_key));
  }
  me.counts.attempts += length - voids;
}

template <int Dim, class Part>
template <class Physics>
KILN_FLAT void TilesPlayer<Dim, Part>::judge(const Physics& physics, Member& me, const Vec3i& place,
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
  if (lowest_delta(physics, world, copy, dh) - threshold > settings_.hopeless) return;
  const bool accepted = accepts_with_bounded(physics, world, copy, dh, threshold);
  if (settings_.passes == 1 && !accepted) return;
  me.open.push_back({{place, copy, change, surroundings, threshold}, priority, uint8_t(direction), accepted});
  if (accepted && settings_.passes != 1) claim(me, me.open.back());
}

template <int Dim, class Part>
template <class Physics>
KILN_FLAT bool TilesPlayer<Dim, Part>::accepts_now(const Physics& physics, const Open& a) const {
  Copy copy = a.copy();
  const float dh = a.surroundings + cells_delta(physics, reader_, copy, a.change());
  if (lowest_delta(physics, reader_, copy, dh) > a.threshold) return false;
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

template <int Dim, class Part>
void TilesPlayer<Dim, Part>::claim(const Member& me, CellId cell, uint32_t priority) {
  const uint64_t mine = tiles::claim_of(me.stamp, priority);
  std::atomic_ref<uint64_t> claim(claims_[cell]);
  uint64_t standing = claim.load(std::memory_order_relaxed);
  while (mine < standing && !claim.compare_exchange_weak(standing, mine, std::memory_order_relaxed)) {
  }
}

template <int Dim, class Part>
void TilesPlayer<Dim, Part>::claim(const Member& me, const Open& a) {
  for (const CellId cell : {a.winner, a.loser})
    if (cell != kMedium) claim(me, cell, a.priority);
}

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::judge_again(const Physics& physics, Member& me) {
  for (Open& a : me.open) {
    a.accepted = accepts_now(physics, a);
    if (a.accepted) claim(me, a);
  }
}

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::carry_out_owned(const Physics& physics, Member& me) {
  std::size_t kept = 0;
  for (const Open& a : me.open) {
    const uint64_t mine = tiles::claim_of(me.stamp, a.priority);
    const bool winner_taken = a.winner != kMedium && claims_[a.winner] < mine;
    const bool loser_taken = a.loser != kMedium && claims_[a.loser] < mine;
    if (winner_taken || loser_taken) {
      me.open[kept++] = a;
    } else if (a.accepted) {
      apply_copy<Dim>(state_, frame_.lattice, physics, a.copy(), state_.lattice.index(a.target), a.target,
                      a.change());
      if constexpr (Part::kCut) part_.tell(std::size_t(&me - members_.data()), a);
      me.counts.accepted += 1;
    }
  }
  me.open.erase(me.open.begin() + std::ptrdiff_t(kept), me.open.end());
  me.still_open = kept;
}

// Last pass: rejects attempts that lost the claim on their losing cell.
template <int Dim, class Part>
void TilesPlayer<Dim, Part>::drop_unclaimed(Member& me) {
  for (Open& a : me.open)
    if (a.loser != kMedium && claims_[a.loser] < tiles::claim_of(me.stamp, a.priority)) a.accepted = false;
  me.stamp -= 1;
}

// Several copies may change the same cell, so every thread owns a share of the cells and alone changes them:
// cheaper than atomics, and most cells of a thread's copies are its own.
template <int Dim, class Part>
void TilesPlayer<Dim, Part>::fill_outboxes(Member& me) {
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

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::carry_out_all(const Physics& physics, Member& me) {
  const auto move = [&](const Open& a, bool wins) {
    gain_site<Dim, Physics::kMoments>(frame_.lattice, state_.cells, wins ? a.winner : a.loser, a.target,
                                      wins ? +1 : -1, wins ? a.winner_perimeter : a.loser_perimeter);
  };
  for (const Open& a : me.open) {
    if (!a.accepted) continue;
    if (a.loser != kMedium && &owner_of(a.loser) == &me) move(a, false);
    if (a.winner != kMedium && &owner_of(a.winner) == &me) move(a, true);
    put_site(state_, physics, state_.lattice.index(a.target), a.winner, a.winner_type);
    if constexpr (Part::kCut) part_.tell(std::size_t(&me - members_.data()), a);
    me.counts.accepted += 1;
  }
  for (const Member& m : members_)
    for (const HalfCopy& half : m.outbox[std::size_t(&me - members_.data())])
      move(m.open[half.open], half.wins);
}

template <int Dim, class Part>
template <class Work>
void TilesPlayer<Dim, Part>::one_of_all(const Member& me, const Work& work) {
  team_.wait();
  if (is_first(me)) attempt(work);
  team_.wait();
}

template <int Dim, class Part>
template <class Work>
void TilesPlayer<Dim, Part>::attempt(const Work& work) {
  if (failure_) return;
  try {
    work();
  } catch (...) {
    failure_ = std::current_exception();
  }
}

template <int Dim, class Part>
void TilesPlayer<Dim, Part>::meet_newcomers(int member) requires(Part::kCut) {
  Member& me = members_[std::size_t(member)];
  if (me.rounds++ % uint64_t(part_.rounds_between_refreshes()) != 0) return;
  one_of_all(me, [&] {
    part_.refresh();
    fit_to_cells();
  });
}

// A cell's claim of the lowest priority on any brick stands.
template <int Dim, class Part>
void TilesPlayer<Dim, Part>::hear_claims(Member& me) requires(Part::kCut) {
  const auto self = std::size_t(&me - members_.data());
  for (const Open& a : me.open) {
    if (!a.accepted) continue;
    for (const CellId cell : {a.winner, a.loser})
      if (cell != kMedium && claims_[cell] == tiles::claim_of(me.stamp, a.priority))
        part_.tell_claim(self, cell, a.priority);
  }
  one_of_all(me, [&] { part_.swap_claims(); });
  if (failure_) return;
  part_.for_each_claim(self, members_.size(),
                       [&](CellId cell, uint32_t priority) { claim(me, cell, priority); });
  team_.wait();
}

template <int Dim, class Part>
template <class Physics>
void TilesPlayer<Dim, Part>::hear_copies(const Physics& physics, Member& me) {
  one_of_all(me, [&] { part_.swap_copies(); });
  if (failure_) return;
  const auto self = std::size_t(&me - members_.data());
  part_.for_each_copy([&](std::size_t number, const auto& heard) {
    const auto move = [&](CellId cell, int sign, int32_t perimeter) {
      if (cell != kMedium && &owner_of(cell) == &me)
        gain_site<Dim, Physics::kMoments>(frame_.lattice, state_.cells, cell, heard.target, sign, perimeter);
    };
    move(heard.loser, -1, heard.loser_perimeter);
    move(heard.winner, +1, heard.winner_perimeter);
    if (heard.is_stored && number % members_.size() == self)
      put_site(state_, physics, state_.lattice.index(heard.target), heard.winner,
               state_.cells.type[heard.winner]);
  });
}

template <int Dim, class Part>
bool TilesPlayer<Dim, Part>::any_open(const Member& me) {
  const auto here = [&] {
    return std::any_of(members_.begin(), members_.end(), [](const Member& m) { return m.still_open > 0; });
  };
  if constexpr (Part::kCut) {
    one_of_all(me, [&] { some_open_ = part_.any(here()); });
    return some_open_ && !failure_;
  } else {
    return here();
  }
}

}  // namespace kiln
