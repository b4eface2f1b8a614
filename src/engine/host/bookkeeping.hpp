// What a copy changes, on a processor: the site, its Act value, and both cells' tables.
#pragma once

#include "core/state.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

// A cell gains (sign +1) or loses (-1) a site.
template <int Dim>
KILN_HOT void move_site(State& state, CellId cell, const Vec3i& place, int sign, int32_t perimeter_change) {
  Cells::Extent& extent = state.cells.extent[cell];
  Cells::Centroid& centroid = state.cells.centroid[cell];
  extent.volume += sign;
  extent.perimeter += perimeter_change;
  for (int axis = 0; axis < Dim; ++axis)
    centroid.sum[axis] += sign * offset_from_anchor(state.lattice, axis, centroid.anchor[axis], place[axis]);
}

// The site becomes the winner's.
KILN_HOT void put_site(State& state, const Physics& physics, Site site, CellId winner, TypeId winner_type) {
  state.ids[std::size_t(site)] = winner;
  if (!state.act.empty())
    state.act[std::size_t(site)] =
        winner == kMedium ? ActValue(0) : ActValue(physics.types[winner_type].act.max);
}

template <int Dim>
KILN_HOT void apply_copy(State& state, const Physics& physics, const Copy& copy, Site target,
                         const Vec3i& place, const CopyChange& change) {
  if (copy.loser != kMedium) move_site<Dim>(state, copy.loser, place, -1, change.loser_perimeter);
  if (copy.winner != kMedium) move_site<Dim>(state, copy.winner, place, +1, change.winner_perimeter);
  put_site(state, physics, target, copy.winner, copy.winner_type);
}

}  // namespace kiln
