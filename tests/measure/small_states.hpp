// Small states for the tests of measures: lattices written out, or drawn at random.
#pragma once

#include <vector>

#include "core/random.hpp"
#include "core/state.hpp"

namespace kiln::test {

inline Lattice flat(int32_t x, int32_t y, bool periodic_x, bool periodic_y) {
  return {{x, y, 1}, {periodic_x, periodic_y, false}, 2};
}

inline Lattice deep(Vec3i size, Vec3<bool> periodic) { return {size, periodic, 3}; }

// `types[i]` is the type of cell i; types[0] is the medium's.
inline State state_from(const Lattice& lattice, const std::vector<CellId>& ids,
                        const std::vector<TypeId>& types, const std::vector<bool>& frozen) {
  State state;
  state.lattice = lattice;
  state.ids = HugeVector<CellId>(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) state.ids[i] = ids[i];
  for (const TypeId type : types) state.cells.add(type);
  recount(state, neighbourhood_of_order(lattice.dimension, moore_order(lattice.dimension)), frozen, false);
  return state;
}

// Sites at random among the medium and `cells` cells, whose types are 1, 2, ... in turn.
inline State random_state(const Lattice& lattice, CellId cells, int types, const std::vector<bool>& frozen,
                          uint64_t seed) {
  std::vector<CellId> ids;
  for (Site site = 0; site < lattice.sites(); ++site)
    ids.push_back(draw(seed, Stream::attempts, uint64_t(site), 0).a % (cells + 1));
  std::vector<TypeId> type_of{0};
  for (CellId cell = 0; cell < cells; ++cell) type_of.push_back(TypeId(1 + cell % (types - 1)));
  return state_from(lattice, ids, type_of, frozen);
}

// Boxes of many shapes, some of them degenerate, with all kinds of walls.
inline std::vector<Lattice> assorted_lattices() {
  std::vector<Lattice> lattices;
  for (int walls = 0; walls < 8; ++walls) {
    const Vec3<bool> periodic{(walls & 1) != 0, (walls & 2) != 0, (walls & 4) != 0};
    for (const Vec3i size : {Vec3i{5, 4, 3}, {2, 2, 2}, {7, 1, 2}, {1, 5, 4}, {3, 6, 1}})
      lattices.push_back(deep(size, periodic));
    if (walls >= 4) continue;
    for (const Vec3i size : {Vec3i{6, 5, 1}, {2, 3, 1}, {1, 4, 1}, {9, 1, 1}})
      lattices.push_back(flat(size.x, size.y, periodic.x, periodic.y));
  }
  return lattices;
}

// Calls visit(site, neighbour) for every site and every one of its Moore neighbours.
template <class Visit>
void for_each_neighbour(const Lattice& lattice, const Visit& visit) {
  const Neighbourhood moore = neighbourhood_of_order(lattice.dimension, moore_order(lattice.dimension));
  for (Site site = 0; site < lattice.sites(); ++site)
    for (int i = 0; i < moore.count; ++i) {
      Vec3i place = lattice.position(site) + Vec3i{moore.offset[i].x, moore.offset[i].y, moore.offset[i].z};
      if (lattice.wrap(place)) visit(site, lattice.index(place));
    }
}

}  // namespace kiln::test
