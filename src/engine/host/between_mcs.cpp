#include "engine/host/between_mcs.hpp"

#include <algorithm>

namespace kiln {
namespace {

// The range of a member of a team: first to last - 1 of `count` things.
struct Range {
  int64_t first, last;
};
Range range_of(int64_t count, const Team& team, int member) {
  return {count * member / team.members(), count * (member + 1) / team.members()};
}

void decay_act(State& state, const Range& sites) {
  for (int64_t site = sites.first; site < sites.last; ++site) {
    ActValue& value = state.act[std::size_t(site)];
    value = ActValue(value - (value > 0 ? 1 : 0));
  }
}

// Adds own sites, in rows, to the sums of cells that were moved.
void count_sums(State& state, const SiteFrame& frame, const Range& rows, const BetweenMcs::Moved& moved) {
  const Lattice& lattice = frame.lattice;
  for (int64_t row = rows.first; row < rows.last; ++row) {
    const int32_t length = frame.own.size().y;
    Vec3i place = frame.own.low + Vec3i{0, int32_t(row % length), int32_t(row / length)};
    const CellId* ids = state.ids.data() + state.lattice.index({0, place.y, place.z});
    for (; place.x < frame.own.high.x; ++place.x) {
      const CellId cell = ids[place.x];
      if (!moved[cell]) continue;
      const auto add = [](int64_t& to, int64_t by) {
        std::atomic_ref<int64_t>(to).fetch_add(by, std::memory_order_relaxed);
      };
      Cells::Centroid& centroid = state.cells.centroid[cell];
      const Vec3i d = offset_from_anchor(lattice, centroid.anchor, place);
      for (int axis = 0; axis < 3; ++axis) add(centroid.sum[axis], d[axis]);
      if (state.cells.moments.empty()) continue;
      for (int k = 0; k < Moments::count(lattice.dimension); ++k)
        add(state.cells.moments[cell].of[k], Moments::part(k, d));
    }
  }
}

void turn_persistent_cells(State& state, const Vec3i& origin, const Physics& physics, int64_t mcs,
                           const Range& cells) {
  for (CellId cell = CellId(cells.first); cell < CellId(cells.last); ++cell) {
    const int32_t volume = state.cells.extent[cell].volume;
    if (cell == kMedium || volume == 0) continue;
    const Cells::Centroid& centroid = state.cells.centroid[cell];
    persistence::turn(physics.types[state.cells.type[cell]].persistence, mcs,
                      centroid_of(centroid.anchor + origin, centroid.sum, volume),
                      state.cells.direction[cell],
                      state.cells.history.data() + cell * std::size_t(state.cells.history_length));
  }
}

}  // namespace

void finish_mcs(State& state, const Physics& physics, LivingStage* living) {
  Team alone(1);
  BetweenMcs(alone, frame_of_whole(state.lattice), {}, living).finish_mcs(state, physics, 0);
}

struct BetweenMcs::Stages {
  BetweenMcs& between;
  State& state;
  const Physics& physics;
  int member;

  void age_act() { decay_act(state, range_of(int64_t(state.act.size()), between.team_, member)); }
  void live(int64_t mcs) { between.living_->play(state, mcs, between.team_, member); }
  void count_sums() {}  // engines here keep them copy by copy
  void move_anchors() { between.move_anchors(state, member); }
  void turn_cells(int64_t mcs) {
    turn_persistent_cells(state, between.frame_.origin, physics, mcs,
                          range_of(int64_t(state.cells.count()), between.team_, member));
  }
};

void BetweenMcs::finish_mcs(State& state, const Physics& physics, int member) {
  const int64_t mcs = state.mcs + 1;
  Stages stages{*this, state, physics, member};
  play_tick({.anchor_every = mcs_between_anchor_checks(frame_.lattice),
             .turns = state.cells.history_length > 0,
             .lives = living_ != nullptr},
            mcs, stages);
  team_.wait();
  if (member == 0) state.mcs = mcs;
  team_.wait();
}

void BetweenMcs::move_anchors(State& state, int member) {
  Cells& cells = state.cells;
  if (member == 0) {
    moved_.assign(cells.count(), 0);
    any_moved_ = false;
  }
  team_.wait();
  const Range mine = range_of(int64_t(cells.count()), team_, member);
  for (CellId cell = CellId(mine.first); cell < CellId(mine.last); ++cell) {
    Cells::Centroid& centroid = cells.centroid[cell];
    if (cell == kMedium ||
        !move_anchor(frame_.lattice, cells.extent[cell].volume, centroid.anchor, centroid.sum))
      continue;
    moved_[cell] = 1;
    if (!cells.moments.empty()) cells.moments[cell] = {};
    any_moved_ = true;
  }
  team_.wait();
  const Vec3i size = frame_.own.size();
  if (any_moved_) count_sums(state, frame_, range_of(int64_t(size.y) * size.z, team_, member), moved_);
  team_.wait();
  if (!unite_) return;
  if (member == 0) unite_(moved_);
  team_.wait();
}

}  // namespace kiln
