// What a copy changes, on a processor: the site, its Act value, and both cells' tables.
#pragma once

#include "core/state.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

namespace detail {
inline void move_site(State& state, CellId cell, const Vec3i& place, int sign, int32_t perimeter_change) {
  Cells::Extent& extent = state.cells.extent[cell];
  Cells::Centroid& centroid = state.cells.centroid[cell];
  extent.volume += sign;
  extent.perimeter += perimeter_change;
  const Vec3i d = offset_from_anchor(state.lattice, centroid.anchor, place);
  for (int axis = 0; axis < 3; ++axis) centroid.sum[axis] += sign * d[axis];
}
}  // namespace detail

inline void apply_copy(State& state, const Physics& physics, const Copy& copy, Site target,
                       const Vec3i& place, const Tally& n) {
  if (copy.loser != kMedium)
    detail::move_site(state, copy.loser, place, -1, perimeter::change_on_loss(n.present, n.losers));
  if (copy.winner != kMedium)
    detail::move_site(state, copy.winner, place, +1, perimeter::change_on_gain(n.present, n.winners));
  state.ids[std::size_t(target)] = copy.winner;
  if (!state.act.empty())
    state.act[std::size_t(target)] =
        copy.winner == kMedium ? ActValue(0) : ActValue(physics.types[copy.winner_type].act.max);
}

// What happens between two MCS: the clock, the decay of Act, moving anchors, turning persistent cells.
void finish_mcs(State& state, const Physics& physics);

}  // namespace kiln
