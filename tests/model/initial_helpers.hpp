// Small models for tests of the initial state, built by hand.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/model.hpp"

namespace kiln::test {

inline constexpr TypeId kLight = 1, kDark = 2, kWall = 3;  // walls are frozen

inline Model model_of(Vec3i size, bool periodic = false) {
  Model model;
  model.source = "test.toml";
  model.seed = 7;
  model.lattice.size = size;
  model.lattice.dimension = size.z == 1 ? 2 : 3;
  model.lattice.periodic = {periodic, periodic, periodic && size.z > 1};
  model.types.resize(4);
  model.types[kWall].frozen = true;
  const int dimension = model.lattice.dimension;
  model.adhesion_neighbours = neighbourhood_of_order(dimension, moore_order(dimension));
  model.perimeter_neighbours = model.adhesion_neighbours;
  model.phases.resize(1);
  model.phases[0].physics.types.resize(4);
  return model;
}

inline InitialStep step_of(InitialStep::Kind kind, TypeId type = kLight) {
  InitialStep step;
  step.kind = kind;
  step.types = {{type, 1.0}};
  return step;
}

inline Region box_region(Vec3d low, Vec3d high) {
  Region region;
  region.shape = Region::Shape::box;
  region.low = low;
  region.high = high;
  return region;
}

inline Region ball_region(Vec3d centre, double radius) {
  Region region;
  region.shape = Region::Shape::ball;
  region.centre = centre;
  region.radius = radius;
  return region;
}

inline Region tube_region(Vec3d from, Vec3d to, double radius) {
  Region region;
  region.shape = Region::Shape::tube;
  region.from = from;
  region.to = to;
  region.radius = radius;
  return region;
}

inline Region compound(Region::Shape shape, std::vector<Region> of) {
  Region region;
  region.shape = shape;
  region.of = std::move(of);
  return region;
}

inline Region outside_of(Region region) {
  region.outside = true;
  return region;
}

// One string per row, a digit per site; medium is a dot.
inline std::vector<std::string> picture(const State& state, int32_t z = 0) {
  std::vector<std::string> rows;
  for (int32_t y = 0; y < state.lattice.size.y; ++y) {
    std::string row;
    for (int32_t x = 0; x < state.lattice.size.x; ++x) {
      const CellId cell = state.ids[std::size_t(state.lattice.index({x, y, z}))];
      row += cell == kMedium ? '.' : char('0' + cell);
    }
    rows.push_back(row);
  }
  return rows;
}

inline int64_t sites_of(const State& state, CellId cell) {
  int64_t sites = 0;
  for (const CellId id : state.ids) sites += id == cell ? 1 : 0;
  return sites;
}

// The message of the UserError, "" where there is none.
inline std::string error_of(const Model& model) {
  try {
    initial_state(model);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

}  // namespace kiln::test
