#include "engine/schedule/tiles_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "core/lattice_size.hpp"
#include "terms/persistence.hpp"

namespace kiln::tiles {
namespace {

// How much one site more or less weighs for the terms that read cells' sums, and whether any does.
double weight_of_a_site(const TypePhysics& type, const SurroundingsShape& shape) {
  double weight = 0;
  Terms::each([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kScope == TermScope::cells)
      if (Term::acts(type.*Term::kParams)) weight = std::max(weight, Term::weight_of_a_site(type, shape));
  });
  return weight;
}
bool has_weight(const TypePhysics& type) {
  return Terms::any([&](auto term) {
    return decltype(term)::kScope == TermScope::cells && decltype(term)::acts(type.*decltype(term)::kParams);
  });
}
// Against what drives copies at random: the temperature, and terms that push whatever the sizes are.
double stiffness(const PhysicsData& physics, const TypePhysics& type, const SurroundingsShape& shape) {
  double drive = double(physics.temperature);
  Terms::each([&](auto term) { drive += decltype(term)::drive(type.*decltype(term)::kParams); });
  const double weight = weight_of_a_site(type, shape);
  return drive > 0 ? weight / drive : weight > 0 ? 1e9 : 0;
}

std::string tile_text(const Vec3i& tile, int dimension) {
  return dimension == 2 ? fmt::format("{} x {}", tile.x, tile.y)
                        : fmt::format("{} x {} x {}", tile.x, tile.y, tile.z);
}

// Tiles along an axis, their rows rounded up.
double tiles_along(const Model& model, const Vec3i& tile, int axis) {
  if (axis >= model.lattice.dimension) return 1;
  const auto along = uint32_t((int64_t(model.lattice.size[axis]) + 2 * (tile[axis] - 1)) / tile[axis]);
  return axis == 0 ? double((uint64_t(along) + kStride - 1) / kStride * kStride) : double(along);
}
double rows_of(const Model& model, const Vec3i& tile) {
  return tiles_along(model, tile, 1) * tiles_along(model, tile, 2);
}
double tiles_of(const Model& model, const Vec3i& tile) {
  return tiles_along(model, tile, 0) * rows_of(model, tile);
}

// Rows, and groups of tiles that share draws, have 32-bit numbers.
constexpr double kMostRows = 0x1p32, kMostTiles = kMostRows * kGroup;

// What the largest and stiffest cells ask of a round.
struct Demands {
  double largest = 0, heaviest = 0, stiffest = 0;
  bool persistent = false;
};
enum class Kind { soft, stiff, persistent };

bool is_strict(const Model& model) { return model.fidelity == Fidelity::strict; }
bool is_standard(const Model& model) { return model.fidelity == Fidelity::standard; }

// Act pushes harder than persistence does, and has been measured apart.
Kind kind_of(const Model& model, const Demands& cells) {
  constexpr double kSoft = 0.25;
  if (cells.stiffest <= kSoft) return Kind::soft;
  return cells.persistent && !model.uses_act() && !is_standard(model) ? Kind::persistent : Kind::stiff;
}

// How many live attempts of a round may share a cell, on average. In several passes, as many as can be
// settled. In a single one, a cell feels its size one round late and overshoots, by a quarter of what it
// makes good in a round: about half of the attempts, where little but the size decides, times its stiffness.
// So the sd of volumes stays within 10%, or 5%. Act drives cells harder than their stiffness tells. Without
// stiffness there is no bound. Persistent cells go too far in large rounds, and two passes hold them back:
// the bound is where both keep to the limits.
//
// Soft cells have the closer bound in 3-D in any case: acceptance is 1% high without.
bool is_closely_bounded(const Model& model, Kind kind) {
  return kind == Kind::soft && !model.uses_act() && (!is_standard(model) || model.lattice.dimension == 3);
}
double most_that_share(const Model& model, Kind kind, double stiffness) {
  if (kind == Kind::soft)
    return (model.uses_act() ? 1.27 : is_closely_bounded(model, kind) ? 0.425 : 0.64) / stiffness;
  if (kind == Kind::persistent) return is_strict(model) ? 0.9 : 2.4;
  return model.lattice.dimension == 2 ? 3.2 : 7;
}
// A cell has about 4 V^((d - 1) / d) of them per MCS. In a form that needs no roots.
bool no_more_share(double at_most, double volume, int dimension, const Vec3i& tile) {
  const double flat = at_most / 4 * tile.x * tile.y, solid = flat * tile.z;
  return dimension == 2 ? volume <= flat * flat : volume * volume <= solid * solid * solid;
}

// The next larger tile, by one site along x or along the other axes; or along all of them, for cells that
// were measured with such tiles. A row of targets and its surroundings have to fit a GPU's shared memory.
Vec3i enlarged(Vec3i tile, bool in_small_steps) {
  constexpr int kWidest = 8;
  const bool is_even = tile.x == std::min(tile.y, kWidest);
  if (is_even) tile = tile + Vec3i{0, 1, 1};
  if (!in_small_steps)
    tile.x = std::min(tile.y, kWidest);
  else if (!is_even)
    tile.x += 1;
  return tile;
}

// How far from its target an attempt reads sites.
int reach_of_terms(const Model& model) {
  int reach = 1;
  for (const Phase& phase : model.phases)
    Terms::each([&](auto term) {
      if (phase.physics.uses.*decltype(term)::kUse) reach = std::max(reach, decltype(term)::kReach);
    });
  return reach;
}

// About the volume of a type's cells in the first state, from the model alone: a resumed run must come
// to the same plan, whether or not images are still there.
double start_volume(const Model& model, TypeId type) {
  constexpr double kUnknown = 1000;
  double largest = 0;
  for (const InitialStep& step : model.initial) {
    if (std::none_of(step.types.begin(), step.types.end(), [&](const auto& t) { return t.first == type; }))
      continue;
    const bool has_volume = step.kind == InitialStep::Kind::hexagonal ||
                            (step.kind == InitialStep::Kind::voronoi && !step.count && !step.density);
    largest = std::max(largest,
                       step.kind == InitialStep::Kind::boxes
                           ? double(step.box.x) * step.box.y * (model.lattice.dimension == 3 ? step.box.z : 1)
                       : has_volume ? step.volume
                                    : kUnknown);
  }
  return largest > 0 ? largest : kUnknown;
}

// Phases that only prepare a tissue need no fidelity; unless there are no others.
std::vector<const Phase*> decisive_phases(const Model& model) {
  std::vector<const Phase*> measured, all;
  for (const Phase& phase : model.phases) {
    all.push_back(&phase);
    if (phase.measured) measured.push_back(&phase);
  }
  return measured.empty() ? all : measured;
}

// That cells of a type aim at.
double largest_volume(const Model& model, const Phase& phase, TypeId type) {
  const double declared = double(phase.physics.declared_volume(type));
  const double start = declared == double(kOwnTarget) ? start_volume(model, type) : declared;
  if (model.living == nullptr || model.living->types[type].growth == kNoFormula) return start;
  constexpr double kDoubled = 2;  // where growth has no limit, cells are thought to divide
  const double up_to = model.living->types[type].up_to;
  return std::max(start, std::isfinite(up_to) ? up_to : kDoubled * start);
}

Demands demands_of(const Model& model) {
  const SurroundingsShape shape{model.lattice.dimension, model.perimeter_neighbours.count};
  Demands cells;
  for (const Phase* phase : decisive_phases(model))
    for (std::size_t i = 0; i < phase->physics.types.size(); ++i) {
      const TypePhysics& type = phase->physics.declared(i);
      if (type.frozen || !has_weight(type)) continue;
      cells.stiffest = std::max(cells.stiffest, stiffness(phase->physics, type, shape));
      cells.largest = std::max(cells.largest, largest_volume(model, *phase, TypeId(i)));
      cells.heaviest = std::max(cells.heaviest, weight_of_a_site(type, shape));
      cells.persistent = cells.persistent || persistence::Term::acts(type.persistence);
    }
  return cells;
}

int passes_for(const Model& model, Kind kind) {
  if (is_strict(model)) return 0;
  return kind == Kind::soft ? 1 : kind == Kind::persistent ? 2 : 4;
}

}  // namespace

// Measured with `kiln fidelity` (docs/parallel.md): the other attempts of a round hardly matter to soft
// cells, where few share a cell. To stiff ones they do; then what is still open after four passes is rare
// enough, or after two where few share a cell. The larger the cells, the farther apart attempts have to be
// for that. Rows have room to be displaced along y and z.
Settings settings_for(const Model& model) {
  constexpr double kSitesAtMost = 4;  // by which the rest of a round changes a cell, nearly always
  const int reach = std::max(model.adhesion_neighbours.reach, model.perimeter_neighbours.reach);
  const Demands cells = demands_of(model);
  const Kind kind = kind_of(model, cells);
  Settings settings;
  settings.passes = passes_for(model, kind);
  if (settings.passes > 1) settings.hopeless = float(kSitesAtMost * cells.heaviest);
  settings.apart = std::max(2, reach + 1);
  // In a single pass nothing changes before all are judged.
  if (settings.passes != 1) settings.apart = std::max(settings.apart, reach_of_terms(model) + 1);
  const int room =
      model.lattice.dimension == 2 ? 2 : 1;  // for displacements; 2-D rounds would be few without
  const int side = settings.apart + room + (is_strict(model) ? 1 : 0);
  settings.tile = {is_strict(model) ? side : settings.apart, side, side};
  const double most = most_that_share(model, kind, cells.stiffest);
  const bool is_bounded = settings.passes == 1 || kind != Kind::soft;
  const bool in_small_steps = kind == Kind::persistent || is_closely_bounded(model, kind);
  while (is_bounded && !no_more_share(most, cells.largest, model.lattice.dimension, settings.tile))
    settings.tile = enlarged(settings.tile, in_small_steps);
  for (int axis = 0; axis < model.lattice.dimension; ++axis)
    if (model.lattice.periodic[axis])
      settings.tile[axis] = std::min(settings.tile[axis], model.lattice.size[axis]);
  if (tiles_of(model, settings.tile) >= kMostTiles || rows_of(model, settings.tile) >= kMostRows)
    throw UserError(fmt::format(
        "{}: lattice.size is {}, more than the tiles schedule can number: 2^39 tiles of {} sites in 2^32 "
        "rows. --engine serial can run it.",
        model.source, size_text(model.lattice), tile_text(settings.tile, model.lattice.dimension)));
  return settings;
}

void require_short_numbers(const Model& model) {
  const Vec3i tile = settings_for(model).tile;
  if (tiles_of(model, tile) >= 0x1p32)
    throw UserError(fmt::format(
        "{}: lattice.size is {}, more than one GPU can number: 2^32 tiles of {} sites, their rows "
        "rounded up to 32. --engine threads can run it.",
        model.source, size_text(model.lattice), tile_text(tile, model.lattice.dimension)));
}

std::string describe(const Settings& settings, int dimension) {
  const std::string how =
      settings.passes == 0 ? "attempts that share a cell are settled one after the other"
      : settings.passes == 1
          ? "all attempts of a round are judged on the sizes that cells have at its start"
          : fmt::format("attempts that share a cell are settled in {} passes", settings.passes);
  return fmt::format("one attempt per tile of {} sites and round; {}", tile_text(settings.tile, dimension),
                     how);
}

// On average a round tries one site in every tile along a closed axis, and floor(length / tile) sites of the
// length along a periodic one.
Clock::Clock(const Lattice& lattice, const Vec3i& tile) {
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const bool periodic = lattice.periodic[axis];
    sites_ *= uint64_t(periodic ? lattice.size[axis] : tile[axis]);
    tiles_ *= uint64_t(periodic ? lattice.size[axis] / tile[axis] : 1);
    const uint64_t common = std::gcd(sites_, tiles_);
    sites_ /= common;
    tiles_ /= common;
  }
}

uint64_t Clock::rounds_after(int64_t mcs) const {
  return uint64_t(static_cast<unsigned __int128>(mcs) * sites_ / tiles_);
}

}  // namespace kiln::tiles
