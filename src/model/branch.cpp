#include "model/branch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "core/lattice_size.hpp"
#include "model/initial/motion.hpp"

namespace kiln {
namespace {

std::string boundary_text(const Lattice& lattice) {
  std::string text;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    text += fmt::format("{}{}", axis == 0 ? "" : ", ", lattice.periodic[axis] ? "periodic" : "closed");
  return text;
}

class Misfit {
 public:
  Misfit(const Model& model, const std::string& file) : model_(model), file_(file) {}
  [[noreturn]] void fail(const std::string& what) const {
    throw UserError(fmt::format("{} cannot start from {}: {}.", model_.source, file_, what));
  }

 private:
  const Model& model_;
  const std::string& file_;
};

void check_lattice(const Lattice& wanted, const Lattice& found, const Misfit& misfit) {
  if (found.dimension != wanted.dimension || !(found.size == wanted.size))
    misfit.fail(fmt::format("its lattice is {}, the model's {}", size_text(found), size_text(wanted)));
  if (boundary_text(found) != boundary_text(wanted))
    misfit.fail(
        fmt::format("its boundaries are {}, the model's {}", boundary_text(found), boundary_text(wanted)));
}

// By the number of a type in the state: its number in the model.
std::vector<TypeId> numbers_in(const Model& model, const std::vector<TypeMemory>& types,
                               const Misfit& misfit) {
  for (const CellType& type : model.types)
    if (std::none_of(types.begin(), types.end(), [&](const TypeMemory& t) { return t.name == type.name; }))
      misfit.fail(fmt::format("it has no type \"{}\", which the model has", type.name));
  std::vector<TypeId> numbers;
  for (const TypeMemory& type : types) {
    const auto same = [&](const CellType& t) { return t.name == type.name; };
    const auto found = std::find_if(model.types.begin(), model.types.end(), same);
    if (found == model.types.end())
      misfit.fail(fmt::format("it has the type \"{}\", which the model has not", type.name));
    numbers.push_back(TypeId(found - model.types.begin()));
  }
  return numbers;
}

void fit_act(const Model& model, State& state) {
  if (!model.uses_act()) {
    state.act = {};
    return;
  }
  if (state.act.empty()) return start_act(model, state);
  std::vector<ActValue> most;
  for (const TypePhysics& type : model.phases.front().physics.types) most.push_back(ActValue(type.act.max));
  for (std::size_t site = 0; site < state.act.size(); ++site)
    state.act[site] = std::min(state.act[site], most[state.cells.type[state.ids[site]]]);
}

void fit_persistence(const Model& model, bool same_lags, State& state) {
  State fresh;  // as if the run began here
  fresh.lattice = state.lattice;
  fresh.cells = state.cells;
  start_persistence(model, fresh.cells);
  if (!same_lags || fresh.cells.history_length != state.cells.history_length) {
    state.cells.history_length = fresh.cells.history_length;
    state.cells.history = std::move(fresh.cells.history);
  }
  const std::vector<bool> persistent = persistent_types(model);
  if (state.cells.direction.empty() || fresh.cells.direction.empty()) {
    state.cells.direction = std::move(fresh.cells.direction);
    return;
  }
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    if (!persistent[state.cells.type[cell]])
      state.cells.direction[cell] = {};
    else if (state.cells.direction[cell] == Vec3f{})
      state.cells.direction[cell] = fresh.cells.direction[cell];
  }
}

// Lives go on, and so do properties that have the same name; others begin here.
void fit_living(const Model& model, const std::vector<std::string>& properties, State& state) {
  Cells before;
  std::swap(before.life, state.cells.life);
  std::swap(before.property, state.cells.property);
  start_living(model, state.cells);
  if (model.living == nullptr) return;
  for (Cells::Life& life : state.cells.life) life.born = state.mcs;
  if (before.life.size() != state.cells.life.size()) return require_finite_starts(model, state.cells);
  state.cells.life = before.life;
  for (CellId cell = 1; cell < state.cells.targets.size(); ++cell)
    state.cells.targets[cell].volume = float(before.life[cell].target);
  const std::vector<Property>& now = model.living->properties;
  for (std::size_t p = 0; p < now.size(); ++p) {
    const auto known = std::find(properties.begin(), properties.end(), now[p].name);
    if (known == properties.end()) continue;
    const auto old = std::size_t(known - properties.begin());
    for (CellId cell = 0; cell < state.cells.count(); ++cell)
      state.cells.property[cell * now.size() + p] = before.property[cell * properties.size() + old];
  }
  require_finite_starts(model, state.cells);
}

// A substance of the same name in the same voxels goes on; others begin here.
void fit_substances(const Model& model, State& state) {
  std::vector<Substance> fresh = start_substances(model);
  for (Substance& substance : fresh)
    for (Substance& old : state.substances)
      if (old.name == substance.name && old.coarsen == substance.coarsen) {
        substance.values = old.values;
        substance.show();
      }
  state.substances = std::move(fresh);
}

}  // namespace

std::vector<std::string> property_names(const Model& model) {
  std::vector<std::string> names;
  if (model.living != nullptr)
    for (const Property& property : model.living->properties) names.push_back(property.name);
  return names;
}

std::vector<TypeMemory> type_memories(const Model& model) {
  const std::vector<TypePhysics>& physics = model.phases.front().physics.types;
  std::vector<TypeMemory> types;
  for (std::size_t i = 0; i < model.types.size(); ++i)
    types.push_back({model.types[i].name, int64_t(physics[i].persistence.dt)});
  return types;
}

void count_cells(const Model& model, State& state) {
  const std::vector<bool> frozen = model.frozen_types();
  std::vector<bool> anchored(state.cells.count());
  for (CellId cell = 0; cell < state.cells.count(); ++cell)
    anchored[cell] = cell == kMedium || state.cells.extent[cell].volume > 0;
  for (Site site = 0; site < Site(state.ids.size()); ++site) {
    const CellId cell = state.ids[std::size_t(site)];
    if (anchored[cell]) continue;
    anchored[cell] = true;
    if (!frozen[state.cells.type[cell]]) state.cells.centroid[cell].anchor = state.lattice.position(site);
  }
  count_anew(model, state, true);
}

State branched_state(const Model& model, State state, const std::vector<TypeMemory>& types,
                     const std::string& file, const std::vector<std::string>& properties) {
  const Misfit misfit(model, file);
  check_lattice(model.lattice, state.lattice, misfit);
  const std::vector<TypeId> numbers = numbers_in(model, types, misfit);
  for (TypeId& type : state.cells.type) {
    if (type >= numbers.size()) misfit.fail(fmt::format("it has a cell of type number {}", type));
    type = numbers[type];
  }
  bool same_lags = true;
  const std::vector<TypeMemory> wanted = type_memories(model);
  for (const TypeMemory& type : types)
    same_lags &= std::find(wanted.begin(), wanted.end(), type) != wanted.end();
  count_cells(model, state);
  fit_act(model, state);
  fit_persistence(model, same_lags, state);
  start_targets(model, state.cells);
  start_lambdas(model, state.cells, CellId(state.cells.own_lambdas.size()));  // those that are there stay
  fit_living(model, properties, state);
  fit_substances(model, state);
  return state;
}

}  // namespace kiln
