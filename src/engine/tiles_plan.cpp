#include "engine/tiles_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace kiln::tiles {

Settings settings_for(const Model& model) {
  const int reach = std::max(model.adhesion_neighbours.reach, model.perimeter_neighbours.reach);
  return {std::max(3, reach + 1), 0};
}

std::string describe(const Settings& settings) {
  const std::string passes =
      settings.passes == 0 ? "until all are settled" : fmt::format("in at most {} passes", settings.passes);
  return fmt::format("tiles of {} sites per axis, one attempt each per round, conflicts settled {}",
                     settings.spacing, passes);
}

// On average a round tries one site in `spacing` along a closed axis, and floor(length / spacing) sites of
// the length along a periodic one.
Clock::Clock(const Lattice& lattice, int spacing) {
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const bool periodic = lattice.periodic[axis];
    sites_ *= uint64_t(periodic ? lattice.size[axis] : spacing);
    tiles_ *= uint64_t(periodic ? lattice.size[axis] / spacing : 1);
    const uint64_t common = std::gcd(sites_, tiles_);
    sites_ /= common;
    tiles_ /= common;
  }
}

uint64_t Clock::rounds_after(int64_t mcs) const {
  return uint64_t(static_cast<unsigned __int128>(mcs) * sites_ / tiles_);
}

}  // namespace kiln::tiles
