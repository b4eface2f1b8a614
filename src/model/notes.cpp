#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/wording.hpp"
#include "core/lattice_size.hpp"
#include "model/explain.hpp"
#include "model/initial/rows.hpp"

namespace kiln {
namespace {

constexpr double kPi = 3.14159265358979323846;

using Notes = std::vector<std::string>;

std::vector<bool> placed_types(const Model& model) {
  std::vector<bool> placed(model.types.size(), false);
  for (const InitialStep& step : model.initial) {
    for (const auto& [type, weight] : step.types)
      if (weight > 0) placed[type] = true;
    for (const auto& [label, type] : step.label_types) placed[type] = true;
  }
  return placed;
}

// Whether rules make cells of a type.
bool can_become(const Model& model, std::size_t type) {
  if (model.living == nullptr) return false;
  return std::any_of(model.living->rules.begin(), model.living->rules.end(), [&](const Rule& rule) {
    return rule.new_type == TypeId(type) || rule.daughters[0].type == TypeId(type) ||
           rule.daughters[1].type == TypeId(type);
  });
}

void note_living(const Model& model, Notes& notes) {
  if (model.living == nullptr) return;
  for (std::size_t type = 1; type < model.types.size(); ++type) {
    const auto& rules = model.living->rules;
    const auto is_for_it = [&](const Rule& rule, Rule::Deed deed) {
      return rule.types[type] && rule.deed == deed;
    };
    const bool divides = std::any_of(rules.begin(), rules.end(),
                                     [&](const Rule& r) { return is_for_it(r, Rule::Deed::divide); });
    const bool sets_target = std::any_of(rules.begin(), rules.end(), [&](const Rule& r) {
      return r.types[type] && std::any_of(r.sets.begin(), r.sets.end(), [](const Setting& s) {
               return s.what == Setting::What::target_volume;
             });
    });
    if (divides && !sets_target && model.living->types[type].growth == kNoFormula)
      notes.push_back(
          fmt::format("cells of type {} divide, but do not grow: the daughters' target volumes stay shares "
                      "of the mother's.",
                      model.types[type].name));
  }
}

void note_types(const Model& model, Notes& notes) {
  const PhysicsData& physics = model.phases.front().physics;
  const std::vector<bool> placed = placed_types(model);
  const int dimension = model.lattice.dimension;
  for (std::size_t i = 1; i < model.types.size(); ++i) {
    const TypePhysics type = physics.declared(i);
    const std::string& name = model.types[i].name;
    if (!placed[i] && !can_become(model, i))
      notes.push_back(fmt::format("no step of the initial state places cells of type {}.", name));
    if (model.types[i].frozen) continue;
    const bool has_volume = type.volume.lambda != 0;
    if (!has_volume && type.act.lambda != 0)
      notes.push_back(
          fmt::format("type {} has Act but no volume term: its cells spread without limit.", name));
    else if (!has_volume)
      notes.push_back(fmt::format("type {} has no volume term: its cells can vanish or take over.", name));
    if (type.volume.target > double(model.lattice.sites()))
      notes.push_back(fmt::format("the target volume of type {}, {} sites, is larger than the lattice.", name,
                                  grouped(double(type.volume.target))));
    if (has_own_targets(type)) continue;
    const double least = round_perimeter(model.perimeter_neighbours, dimension, double(type.volume.target));
    constexpr double kShapeMargin =
        0.95;  // shapes that follow the lattice do a little better than round ones
    if (has_volume && type.perimeter.lambda != 0 && double(type.perimeter.target) < kShapeMargin * least)
      notes.push_back(fmt::format(
          "the target perimeter of type {}, {:g} pairs, cannot be reached at its target volume: a {} of {:g} "
          "sites has "
          "about {:.0f}.",
          name, type.perimeter.target, dimension == 2 ? "disc" : "ball", type.volume.target, least));
  }
}

bool places_one_cell(InitialStep::Kind kind) {
  return kind == InitialStep::Kind::fill || kind == InitialStep::Kind::tube ||
         kind == InitialStep::Kind::network || kind == InitialStep::Kind::image;
}

void note_initial(const Model& model, Notes& notes) {
  for (std::size_t i = 0; i < model.initial.size(); ++i) {
    const InitialStep& step = model.initial[i];
    if (!holds_any_site(step.region, model.lattice))
      notes.push_back(
          fmt::format("initial.{} places nothing: its region holds no site of the lattice, which has {}.", i,
                      size_text(model.lattice)));
    if (step.count.value_or(0) > model.lattice.sites())
      notes.push_back(fmt::format("initial.{}.count is {}, but the lattice has only {} sites.", i,
                                  *step.count, grouped(double(model.lattice.sites()))));
    for (int axis = 0; axis < model.lattice.dimension; ++axis)
      if (step.kind == InitialStep::Kind::boxes && step.box[axis] > model.lattice.size[axis])
        notes.push_back(fmt::format("initial.{}.box is {} sites along {}, more than the lattice has ({}).", i,
                                    step.box[axis], "xyz"[axis], model.lattice.size[axis]));
    for (const auto& [type, weight] : step.types)
      if (places_one_cell(step.kind) && !model.types[type].frozen)
        notes.push_back(fmt::format("initial.{} makes one single cell of type {}, which is not frozen.", i,
                                    model.types[type].name));
  }
}

void note_run(const Model& model, double available_memory, Notes& notes) {
  for (const Phase& phase : model.phases)
    if (phase.physics.temperature == 0)
      notes.push_back(fmt::format("the temperature of phase {} is 0: no copy that costs energy ever happens.",
                                  phase.name));
  if (model.checkerboard.replayed_mcs > 0)
    notes.push_back(
        "with --schedule checkerboard random numbers begin anew with every MCS (reseed = \"launch\"): a "
        "fault, kept "
        "to see what it does, and no way to simulate a tissue (docs/replayed-random-numbers.md).");
  if (model.total_mcs() == 0) notes.push_back("the run is 0 MCS long: only the initial state is made.");
  for (const PictureSettings& picture : model.pictures)
    if (picture.animation && picture.every == 0)
      notes.push_back(
          fmt::format("the animation of picture {} has two frames only; set `every`.", picture.name));
  for (std::size_t field = 0; field < model.fields.size(); ++field) {
    const auto follows = [field](const TypePhysics& t) {
      return t.chemotaxis.lambda != 0 && std::size_t(t.chemotaxis.field) == field;
    };
    const auto used = [&follows](const Phase& p) {
      return std::any_of(p.physics.types.begin(), p.physics.types.end(), follows);
    };
    if (std::none_of(model.phases.begin(), model.phases.end(), used))
      notes.push_back(fmt::format("no cell type follows the field {}.", model.fields[field].name));
  }
  const double need = memory_need(model, expected_cells(model)).total();
  if (need > available_memory)
    notes.push_back(fmt::format("this needs about {} of memory, but there are {} here.", bytes_text(need),
                                bytes_text(available_memory)));
}

}  // namespace

// Crofton: an offset d crosses a surface element with normal n |d.n| times per unit; over all directions of n
// the mean of |d.n| is 2/pi |d| in the plane and |d|/2 in space. Each crossing is counted from one side.
double round_perimeter(const Neighbourhood& neighbourhood, int dimension, double volume) {
  double lengths = 0;
  for (int i = 0; i < neighbourhood.count; ++i) {
    const Vec3<int8_t>& d = neighbourhood.offset[i];
    lengths += std::sqrt(double(d.x * d.x + d.y * d.y + d.z * d.z));
  }
  const double diameter = ball_diameter(volume, dimension);
  const double surface = dimension == 2 ? kPi * diameter : kPi * diameter * diameter;
  return 0.5 * lengths * (dimension == 2 ? 2 / kPi : 0.5) * surface;
}

std::vector<std::string> model_notes(const Model& model, double available_memory) {
  Notes notes;
  note_living(model, notes);
  note_types(model, notes);
  note_initial(model, notes);
  note_run(model, available_memory, notes);
  return notes;
}

}  // namespace kiln
