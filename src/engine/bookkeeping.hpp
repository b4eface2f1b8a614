// What a copy changes, on a processor: the site, its Act value, and both cells' tables.
#pragma once

#include <atomic>

#include "core/state.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

// How a number is changed: by one thread alone, or by several at once.
struct Alone {
  template <class T>
  KILN_HOT static void add(T& to, T by) {
    to += by;
  }
};
struct Together {
  template <class T>
  static void add(T& to, T by) {
    std::atomic_ref<T>(to).fetch_add(by, std::memory_order_relaxed);
  }
};

// A cell gains (sign +1) or loses (-1) a site.
template <int Dim, class How>
KILN_HOT void move_site(State& state, CellId cell, const Vec3i& place, int sign, int32_t perimeter_change) {
  Cells::Extent& extent = state.cells.extent[cell];
  Cells::Centroid& centroid = state.cells.centroid[cell];
  How::add(extent.volume, sign);
  How::add(extent.perimeter, perimeter_change);
  for (int axis = 0; axis < Dim; ++axis)
    How::add(centroid.sum[axis],
             int64_t(sign * offset_from_anchor(state.lattice, axis, centroid.anchor[axis], place[axis])));
}

// With `Together`, several threads may change the same cells at once, but never the same site.
template <int Dim, class How = Alone>
KILN_HOT void apply_copy(State& state, const Physics& physics, const Copy& copy, Site target,
                         const Vec3i& place, const PerimeterChange& change) {
  if (copy.loser != kMedium) move_site<Dim, How>(state, copy.loser, place, -1, change.loser);
  if (copy.winner != kMedium) move_site<Dim, How>(state, copy.winner, place, +1, change.winner);
  state.ids[std::size_t(target)] = copy.winner;
  if (!state.act.empty())
    state.act[std::size_t(target)] =
        copy.winner == kMedium ? ActValue(0) : ActValue(physics.types[copy.winner_type].act.max);
}

// Act falls by 1 at sites first to last - 1.
void decay_act(State& state, Site first, Site last);

int64_t mcs_between_anchor_checks(const Lattice& lattice);

// What else happens between two MCS: the clock, moving anchors, turning persistent cells.
void finish_mcs(State& state, const Physics& physics);

}  // namespace kiln
