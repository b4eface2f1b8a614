// Carrying out a copy on a processor: the site, its Act value, and both cells' tables.
#pragma once

#include "core/gain.hpp"
#include "core/state.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

// The site becomes the winner's.
KILN_HOT void put_site(State& state, const Physics& physics, Site site, CellId winner, TypeId winner_type) {
  state.ids[std::size_t(site)] = winner;
  if (!state.act.empty())
    state.act[std::size_t(site)] =
        winner == kMedium ? ActValue(0) : ActValue(physics.types[winner_type].act.max);
}

// `lattice` is what the cells live in, of which the state may be a part.
template <int Dim, class Physics>
KILN_HOT void apply_copy(State& state, const Lattice& lattice, const Physics& physics, const Copy& copy,
                         Site target, const Vec3i& place, const CopyChange& change) {
  if (copy.loser != kMedium)
    gain_site<Dim, Physics::kMoments>(lattice, state.cells, copy.loser, place, -1, change.loser_perimeter);
  if (copy.winner != kMedium)
    gain_site<Dim, Physics::kMoments>(lattice, state.cells, copy.winner, place, +1, change.winner_perimeter);
  put_site(state, physics, target, copy.winner, copy.winner_type);
}
template <int Dim, class Physics>
KILN_HOT void apply_copy(State& state, const Physics& physics, const Copy& copy, Site target,
                         const Vec3i& place, const CopyChange& change) {
  apply_copy<Dim>(state, state.lattice, physics, copy, target, place, change);
}

}  // namespace kiln
