#include "engine/ranks/bricks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

#include "base/error.hpp"
#include "core/lattice_size.hpp"

namespace kiln {

BrickGrid::BrickGrid(const Lattice& lattice, const Vec3i& counts) : lattice_(lattice), counts_(counts) {}

Box BrickGrid::brick(int rank) const {
  const Vec3i at{rank % counts_.x, rank / counts_.x % counts_.y, rank / (counts_.x * counts_.y)};
  Box result;
  for (int axis = 0; axis < 3; ++axis) {
    result.low[axis] = edge(axis, at[axis]);
    result.high[axis] = edge(axis, at[axis] + 1);
  }
  return result;
}

int BrickGrid::owner_of(const Vec3i& place) const {
  Vec3i at;
  for (int axis = 0; axis < 3; ++axis) {
    // The last brick that begins at this place or before.
    at[axis] = int32_t(((int64_t(place[axis]) + 1) * counts_[axis] - 1) / lattice_.size[axis]);
  }
  return (at.z * counts_.y + at.y) * counts_.x + at.x;
}

int32_t BrickGrid::thinnest() const {
  int32_t result = std::numeric_limits<int32_t>::max();
  for (int axis = 0; axis < 3; ++axis)
    if (is_cut(axis)) result = std::min(result, lattice_.size[axis] / counts_[axis]);
  return result;
}

Box BrickGrid::around(Box box, int margin) const {
  for (int axis = 0; axis < 3; ++axis) {
    if (!is_cut(axis)) continue;
    box.low[axis] -= margin;
    box.high[axis] += margin;
  }
  return box;
}

std::vector<Box> BrickGrid::images_near(const Box& box, const Box& from, int distance) const {
  Box reach = from;
  for (int axis = 0; axis < 3; ++axis) {
    reach.low[axis] -= distance;
    reach.high[axis] += distance;
  }
  const auto turns = [&](int axis) { return lattice_.periodic[axis] && is_cut(axis) ? 1 : 0; };
  std::vector<Box> result;
  for (int z = -turns(2); z <= turns(2); ++z)
    for (int y = -turns(1); y <= turns(1); ++y)
      for (int x = -turns(0); x <= turns(0); ++x) {
        const Box image = box.shifted({x * lattice_.size.x, y * lattice_.size.y, z * lattice_.size.z});
        if (!image.within(reach).empty()) result.push_back(image);
      }
  return result;
}

Vec3i brick_counts(const Lattice& lattice, int ranks, int32_t thinnest) {
  Vec3i best{0, 0, 0};
  double least = std::numeric_limits<double>::infinity();
  for (int z = 1; z <= ranks; ++z) {
    if (ranks % z != 0 || (lattice.dimension == 2 && z > 1)) continue;
    for (int y = 1; y <= ranks / z; ++y) {
      if (ranks / z % y != 0) continue;
      const Vec3i counts{ranks / z / y, y, z};
      double surface = 0;
      bool thick = true;
      for (int axis = 0; axis < lattice.dimension; ++axis) {
        thick &= counts[axis] == 1 || lattice.size[axis] / counts[axis] >= thinnest;
        const double planes = lattice.periodic[axis] && counts[axis] > 1 ? counts[axis] : counts[axis] - 1;
        surface += planes * double(lattice.sites()) / lattice.size[axis];
      }
      const auto cuts_less = [&] { return counts.x != best.x ? counts.x < best.x : counts.y < best.y; };
      if (!thick || surface > least || (surface == least && !cuts_less())) continue;
      least = surface;
      best = counts;
    }
  }
  if (best.x == 0)
    throw UserError(
        fmt::format("{} ranks are too many for a lattice of {}: a brick has to be {} sites thick at least "
                    "along every axis "
                    "that is cut.",
                    ranks, size_text(lattice), thinnest));
  return best;
}

std::string bricks_text(const Vec3i& counts, int dimension) {
  std::string text = fmt::format("{}x{}", counts.x, counts.y);
  return dimension == 2 ? text : text + fmt::format("x{}", counts.z);
}

Vec3i bricks_from_text(const std::string& text, int dimension) {
  Vec3i counts{1, 1, 1};
  char rest = 0;
  const int read = dimension == 2
                       ? std::sscanf(text.c_str(), "%dx%d%c", &counts.x, &counts.y, &rest)
                       : std::sscanf(text.c_str(), "%dx%dx%d%c", &counts.x, &counts.y, &counts.z, &rest);
  if (read != dimension || counts.x < 1 || counts.y < 1 || counts.z < 1)
    throw UserError(
        fmt::format("--bricks is \"{}\"; it has to be a number of bricks along every axis, as {}.", text,
                    dimension == 2 ? "2x1" : "2x2x1"));
  return counts;
}

Brick brick_with_halo(const BrickGrid& grid, int rank, int halo) {
  const Lattice& lattice = grid.lattice();
  Brick brick;
  brick.rank = rank;
  brick.own = grid.brick(rank);
  brick.stored = lattice;
  brick.origin = brick.own.low;
  Vec3i end = brick.own.high;
  for (int axis = 0; axis < 3; ++axis) {
    if (!grid.is_cut(axis)) continue;
    const bool periodic = lattice.periodic[axis];
    if (periodic || brick.own.low[axis] > 0) brick.origin[axis] -= halo;
    if (periodic || end[axis] < lattice.size[axis]) end[axis] += halo;
    brick.stored.periodic[axis] = false;
  }
  brick.stored.size = end - brick.origin;
  return brick;
}

}  // namespace kiln
