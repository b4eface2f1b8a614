#include "engine/substances/equation.hpp"

#include <algorithm>
#include <utility>

#include "core/functions.hpp"

namespace kiln::substances {

Openness openness_of(const Lattice& voxels, const std::vector<bool>& open) {
  Openness result;
  result.volume.resize(open.size());
  for (std::size_t i = 0; i < open.size(); ++i) result.volume[i] = open[i] ? 1 : 0;
  for (int axis = 0; axis < voxels.dimension; ++axis) {
    std::vector<double>& low = result.low[std::size_t(axis)];
    low.resize(open.size());
    for (std::size_t i = 0; i < open.size(); ++i) {
      Vec3i below = voxels.position(Site(i));
      below[axis] -= 1;
      low[i] = open[i] && voxels.wrap(below) && open[std::size_t(voxels.index(below))] ? 1 : 0;
    }
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
  for (const Uptake& uptake : sources.uptake) {
    const auto most = std::max_element(uptake.share.begin(), uptake.share.end());
    if (most != uptake.share.end()) taken += uptake.rate * *most;
  }
  return {voxels.dimension, exchange, properties.decay + taken};
}

// By decay, and through walls with a concentration. Around obstacles the way to those may be of any length.
double Equation::slowest() const {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  double rate = properties.decay;
  for (int axis = 0; axis < voxels.dimension && !has_obstacles(); ++axis) {
    if (voxels.periodic[axis]) continue;
    const int values = (side(axis, false) == Side::Kind::value) + (side(axis, true) == Side::Kind::value);
    if (values == 0) continue;
    // Half a wave fits between two such walls, a quarter between one and a closed one.
    const double sine = sin_of(kPi / (values == 2 ? 2.0 : 4.0) / double(voxels.size[axis]));
    rate += 4.0 * exchange * sine * sine;
  }
  return rate;
}

}  // namespace kiln::substances
