// What the tests of the `tiles` schedule share, whatever the engine.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "engine/schedule/tiles.hpp"
#include "support/full_world.hpp"

namespace kiln::test {

// As narrow as they may be, for worlds with Act.
inline tiles::Settings tiles_settings(const SmallWorld& w, int passes) {
  const int reach = std::max(w.adhesion_neighbours.reach, w.perimeter_neighbours.reach);
  const int apart = std::max(passes == 1 ? 2 : 3, reach + 1);
  tiles::Settings settings{{apart, apart + 1, apart + 1}, apart, passes};
  if (passes > 1) settings.hopeless = 30;
  const Lattice& lattice = w.state.lattice;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    if (lattice.periodic[axis]) settings.tile[axis] = std::min(settings.tile[axis], lattice.size[axis]);
  return settings;
}

struct Shape {
  Lattice lattice;
  int order;  // of both neighbourhoods; 0: Moore

  std::string text() const {
    std::string result = std::to_string(lattice.dimension) + "-D, order " + std::to_string(order);
    for (int axis = 0; axis < lattice.dimension; ++axis)
      result += (lattice.periodic[axis] ? ", periodic " : ", closed ") + std::to_string(lattice.size[axis]);
    return result;
  }
};

// Lattices that are odd, thin, shorter than a tile, closed on some axes. Periodic axes are at least twice the
// neighbours' reach and one site long, as in a model.
inline std::vector<Shape> awkward_shapes() {
  std::vector<Shape> shapes;
  for (int thin = 1; thin <= 5; ++thin) {
    shapes.push_back({{{thin, 11, 1}, {false, true, false}, 2}, 0});
    shapes.push_back({{{13, thin, 1}, {false, false, false}, 2}, 0});
    shapes.push_back({{{7, thin, 9}, {true, false, false}, 3}, 0});
    shapes.push_back({{{thin, 6, 5}, {false, true, true}, 3}, 4});
    if (thin < 3) continue;
    shapes.push_back({{{thin, 10, 1}, {true, true, false}, 2}, 0});
    shapes.push_back({{{8, 7, thin}, {false, true, true}, 3}, 0});
  }
  shapes.push_back({{{1, 1, 1}, {false, false, false}, 3}, 0});
  shapes.push_back({{{2, 2, 1}, {false, false, false}, 2}, 0});
  shapes.push_back({{{3, 3, 3}, {true, true, true}, 3}, 0});
  shapes.push_back({{{17, 5, 1}, {true, true, false}, 2}, 5});
  shapes.push_back({{{7, 15, 1}, {true, false, false}, 2}, 6});
  shapes.push_back({{{2, 3, 9}, {false, false, true}, 3}, 6});
  return shapes;
}

// The same world with other parameters, and what it keeps in its state the same.
inline SmallWorld hotter(SmallWorld w) {
  w.temperature = 40;
  for (TypePhysics& t : w.types) {
    t.volume.lambda += 1;
    t.chemotaxis.lambda = -t.chemotaxis.lambda;
    t.act.lambda = 0;
  }
  for (double& j : w.j) j += 3;
  return w;
}

inline std::vector<Vec3i> targets_of(const Lattice& lattice, const tiles::Round& round) {
  std::vector<Vec3i> result;
  for (uint32_t k = 0; k < uint32_t(round.count.z); ++k)
    for (uint32_t j = 0; j < uint32_t(round.count.y); ++j) {
      const tiles::Row row = round.row_at(lattice, j, k);
      for (int32_t i = 0; i < round.count.x; ++i)
        if (const Vec3i place{row.x_of(i), row.first.y, row.first.z}; lattice.contains(place))
          result.push_back(place);
    }
  return result;
}

}  // namespace kiln::test
