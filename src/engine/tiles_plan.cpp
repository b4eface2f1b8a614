#include "engine/tiles_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/error.hpp"
#include "model/wording.hpp"

namespace kiln::tiles {
namespace {

// How much one site more or less weighs, against what drives copies at random: the temperature, and the push
// of Act, of which about a tenth is at work in a typical attempt.
double stiffness(const PhysicsData& physics, const TypePhysics& type, int neighbours) {
  const double typical_change = 0.4 * neighbours;  // of a perimeter, by one copy
  const double drive = double(physics.temperature) + 0.1 * double(type.act.lambda);
  const double weight = std::max(2.0 * double(type.volume.lambda),
                                 2.0 * double(type.perimeter.lambda) * typical_change * typical_change);
  return drive > 0 ? weight / drive : weight > 0 ? 1e9 : 0;
}

// Tiles have 32-bit numbers.
void require_numbers(const Model& model, int spacing) {
  double tiles = 1;
  for (int axis = 0; axis < model.lattice.dimension; ++axis) {
    const int32_t along = (model.lattice.size[axis] + spacing - 1) / spacing;
    tiles *= axis == 0 ? double((uint32_t(along) + kStride - 1) / kStride * kStride) : double(along);
  }
  if (tiles >= 4294967296.0)
    throw UserError(fmt::format(
        "{}: lattice.size is {}, more than the tiles schedule can number: about 10^11 sites, or fewer "
        "where x is short. --engine serial can run it.",
        model.source, size_text(model.lattice)));
}

// Whether few live attempts of a round, about six at most, share a cell: 4 V^((d - 1) / d) / spacing^d <= 6,
// in a form that needs no roots.
bool few_attempts_share(double volume, int dimension, int spacing) {
  const double s = spacing;
  if (dimension == 2) return volume <= 1.5 * s * s * 1.5 * s * s;
  const double most = 1.5 * s * s * s;
  return volume * volume <= most * most * most;
}

}  // namespace

// Measured with `kiln fidelity` (docs/parallel.md): soft cells do not feel the other attempts of their round.
// Stiff ones do; where few share a cell, what is still open after three passes is rare enough. The larger the
// cells, the farther apart attempts have to be for that.
Settings settings_for(const Model& model) {
  constexpr double kSoft = 0.25;
  const int reach = std::max(model.adhesion_neighbours.reach, model.perimeter_neighbours.reach);
  bool soft = true;
  double largest = 0;
  for (const Phase& phase : model.phases)
    for (const TypePhysics& type : phase.physics.types) {
      if (type.frozen || (type.volume.lambda == 0 && type.perimeter.lambda == 0)) continue;
      soft &= stiffness(phase.physics, type, model.perimeter_neighbours.count) <= kSoft;
      largest = std::max(largest, double(type.volume.target));
    }
  Settings settings{std::max(3, reach + 1), soft ? 1 : 4};
  if (model.strict) settings = {settings.spacing + 1, 0};
  while (!soft && !few_attempts_share(largest, model.lattice.dimension, settings.spacing)) ++settings.spacing;
  for (int axis = 0; axis < model.lattice.dimension; ++axis)
    if (model.lattice.periodic[axis]) settings.spacing = std::min(settings.spacing, model.lattice.size[axis]);
  require_numbers(model, settings.spacing);
  return settings;
}

std::string describe(const Settings& settings) {
  const std::string how =
      settings.passes == 0 ? "attempts that share a cell are settled one after the other"
      : settings.passes == 1
          ? "all attempts of a round are judged on the sizes that cells have at its start"
          : fmt::format("attempts that share a cell are settled in {} passes", settings.passes);
  return fmt::format("one attempt per tile of {} sites per axis and round; {}", settings.spacing, how);
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
