#include "engine/substances/equation.hpp"

#include <algorithm>
#include <utility>

#include "core/concentration.hpp"
#include "core/functions.hpp"

namespace kiln::substances {

Openness openness_of(const Lattice& sites, int32_t coarsen, const std::vector<bool>& open) {
  const Lattice voxels = voxels_of(sites, coarsen);
  const auto voxel_of = [&](Vec3i site) {
    for (int axis = 0; axis < sites.dimension; ++axis) site[axis] /= coarsen;
    return std::size_t(voxels.index(site));
  };
  std::vector<int32_t> of_voxel(std::size_t(voxels.sites()), 0);
  std::array<std::vector<int32_t>, 3> of_face;
  for (int axis = 0; axis < sites.dimension; ++axis) of_face[std::size_t(axis)].resize(of_voxel.size(), 0);
  for (std::size_t s = 0; s < open.size(); ++s) {
    if (!open[s]) continue;
    const Vec3i site = sites.position(Site(s));
    of_voxel[voxel_of(site)] += 1;
    for (int axis = 0; axis < sites.dimension; ++axis) {
      Vec3i below = site;
      below[axis] -= 1;
      if (site[axis] % coarsen == 0 && sites.wrap(below) && open[std::size_t(sites.index(below))])
        of_face[std::size_t(axis)][voxel_of(site)] += 1;
    }
  }
  int32_t face_sites = 1;
  for (int axis = 1; axis < sites.dimension; ++axis) face_sites *= coarsen;
  Openness result;
  for (const int32_t count : of_voxel) result.volume.push_back(double(count) / double(face_sites * coarsen));
  for (int axis = 0; axis < sites.dimension; ++axis)
    for (std::size_t v = 0; v < of_voxel.size(); ++v) {
      const double part = double(of_face[std::size_t(axis)][v]) / double(face_sites);
      result.low[std::size_t(axis)].push_back(part);
      Vec3i below = voxels.position(Site(v));
      below[axis] -= 1;
      if (!voxels.wrap(below)) continue;
      // As large as its faces, so that a step takes no more out of a voxel than without obstacles.
      for (const std::size_t beside : {v, std::size_t(voxels.index(below))})
        result.volume[beside] = std::max(result.volume[beside], part);
    }
  return result;
}

Equation::Equation(const Lattice& grid, double edge, const Properties& like, Openness openness)
    : voxels(grid), properties(like), open(std::move(openness)), exchange(like.diffusion / (edge * edge)) {
  for (std::size_t s = 0; s < 6; ++s) {
    const Side& side = properties.sides[s];
    // The wall lies half an edge away from the middle of its voxels.
    if (side.kind == Side::Kind::value) ghosts[s] = {-1.0, 2.0 * side.number};
    if (side.kind == Side::Kind::flux) inflow[s] = side.number / edge;
  }
}

Rates Equation::rates(const Sources& sources) const {
  double taken = 0;
  for (const Uptake& uptake : sources.uptake) taken = std::max(taken, uptake.rate);
  return {voxels.dimension, exchange, properties.decay + taken};
}

double Equation::slowest() const { return slowest_rate(voxels, properties, exchange, has_obstacles()); }

}  // namespace kiln::substances
