// What is known of cells that live, and what a caller makes happen to them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <cmath>
#include <unordered_map>

#include "base/error.hpp"
#include "core/math.hpp"
#include "engine/living/deeds.hpp"
#include "model/file/term_registry.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

using Ids = py::array_t<int64_t, py::array::c_style | py::array::forcecast>;
using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

// A number of every cell: that of the medium, which the others follow.
struct NumbersOfCells {
  enum class Kind { real, real32, whole, whole32 };
  Kind kind;
  const void* first;
  std::size_t stride;  // bytes
};

std::optional<NumbersOfCells> numbers_named(const Model& model, const Cells& cells, const std::string& name,
                                            std::vector<std::string>& known) {
  using Kind = NumbersOfCells::Kind;
  if (model.living == nullptr) return {};
  std::optional<NumbersOfCells> found;
  const auto offer = [&](const std::string& called, Kind kind, const void* first, std::size_t stride) {
    known.push_back(called);
    if (called == name) found = NumbersOfCells{kind, first, stride};
  };
  const std::size_t properties = model.living->properties.size();
  for (std::size_t p = 0; p < properties; ++p)
    offer(model.living->properties[p].name, Kind::real, cells.property.data() + p,
          properties * sizeof(double));
  const Cells::Life& life = cells.life.front();
  offer("parent", Kind::whole, &life.parent, sizeof life);
  offer("born", Kind::whole, &life.born, sizeof life);
  offer("ended", Kind::whole, &life.ended, sizeof life);
  offer("generation", Kind::whole32, &life.generation, sizeof life);
  offer("target", Kind::real, &life.target, sizeof life);
  if (cells.own_lambdas.empty()) return found;
  for (const Term& term : all_terms())
    if (term.own_lambda != nullptr)
      offer(fmt::format("{}.lambda", term.name), Kind::real32, &(cells.own_lambdas.front().*term.own_lambda),
            sizeof(OwnLambdas));
  return found;
}

[[noreturn]] void fail_unknown(const Model& model, const std::string& name,
                               const std::vector<std::string>& known) {
  throw UserError(
      model.living == nullptr
          ? fmt::format("cells[\"{}\"]: the model's cells have no properties.", name)
          : fmt::format("cells[\"{}\"] is not known; there are {}.", name, fmt::join(known, ", ")));
}

// A copy.
py::array living_column(SimulationHandle& self, const std::string& name) {
  return self.read([&](Simulation& simulation) -> py::array {
    const Cells& cells = simulation.engine().state_of_cells().cells;
    std::vector<std::string> known;
    const std::optional<NumbersOfCells> found = numbers_named(simulation.model(), cells, name, known);
    if (!found) fail_unknown(simulation.model(), name, known);
    using Kind = NumbersOfCells::Kind;
    const py::dtype type = found->kind == Kind::real     ? py::dtype::of<double>()
                           : found->kind == Kind::real32 ? py::dtype::of<float>()
                           : found->kind == Kind::whole  ? py::dtype::of<int64_t>()
                                                         : py::dtype::of<int32_t>();
    return py::array(type, {py::ssize_t(cells.count())}, {py::ssize_t(found->stride)}, found->first);
  });
}

// One value for all cells, or one for each, by its id; that of the medium does not matter.
void set_property(SimulationHandle& self, const std::string& name, const Values& values) {
  self.change_state([&](const Model& model, State& state) {
    const std::size_t count = state.cells.count();
    std::vector<std::string> known;
    if (model.living != nullptr)
      for (const Property& property : model.living->properties) known.push_back(property.name);
    const auto at = std::find(known.begin(), known.end(), name);
    if (at == known.end())
      throw UserError(
          known.empty()
              ? fmt::format("cells[\"{}\"]: the model's cells have no properties.", name)
              : fmt::format("cells[\"{}\"] is no property; there are {}.", name, fmt::join(known, ", ")));
    const bool one = values.ndim() == 0;
    if (!one && (values.ndim() != 1 || std::size_t(values.size()) != count))
      throw UserError(fmt::format(
          "cells[\"{}\"] needs a number, or {}: one per cell by its id, that of the medium first.", name,
          count));
    for (std::size_t cell = 1; cell < count; ++cell) {
      const double value = values.data()[one ? 0 : cell];
      if (!std::isfinite(value))
        throw UserError(
            fmt::format("cells[\"{}\"] of cell {} is {}, but must be a number.", name, cell, value));
      state.cells.property[cell * known.size() + std::size_t(at - known.begin())] = value;
    }
  });
}

std::vector<CellId> ids_of(const Ids& given) {
  std::vector<CellId> ids;
  for (py::ssize_t i = 0; i < given.size(); ++i) {
    const int64_t id = given.data()[i];
    if (id < 1 || id > int64_t(kNowhere))
      throw UserError(fmt::format("ids holds {}, but cells are counted from 1.", id));
    ids.push_back(CellId(id));
  }
  return ids;
}

void carry_out(SimulationHandle& self, const Rule& deed, const std::vector<CellId>& ids,
               const std::function<void(const State&, CellId)>& look = {}) {
  self.change_state([&](const Model& model, State& state) {
    const CellId before = state.cells.count();
    kiln::carry_out(model, state, deed, ids);
    if (look) look(state, before);
  });
}

// The ids of both daughters, in the order of the mothers; 0 for those that stay as they are.
py::tuple divide(SimulationHandle& self, const Ids& given, const std::string& plane,
                 const std::vector<double>& normal) {
  Rule deed;
  deed.deed = Rule::Deed::divide;
  if (plane == "along")
    deed.plane = DivisionPlane::along;
  else if (plane == "random")
    deed.plane = DivisionPlane::random;
  else if (plane != "across" && normal.empty())
    throw UserError(
        fmt::format("plane is \"{}\", but must be \"across\", \"along\", \"random\" or a normal.", plane));
  if (!normal.empty()) {
    const std::size_t axes = std::size_t(self.checked_model().lattice.dimension);
    Vec3d along{normal[0], normal.size() > 1 ? normal[1] : 0, normal.size() > 2 ? normal[2] : 0};
    if (normal.size() != axes || !(dot(along, along) > 0) || !std::isfinite(dot(along, along)))
      throw UserError(fmt::format("plane is ({}), but a normal has {} numbers and a length.",
                                  fmt::join(normal, ", "), axes));
    deed.normal = unit_vector(along);
  }
  const std::vector<CellId> ids = ids_of(given);
  std::unordered_map<CellId, py::ssize_t> place_of;
  for (std::size_t i = 0; i < ids.size(); ++i) place_of[ids[i]] = py::ssize_t(i);
  py::array_t<int64_t> first(given.size()), second(given.size());
  std::fill_n(first.mutable_data(), given.size(), 0);
  std::fill_n(second.mutable_data(), given.size(), 0);
  carry_out(self, deed, ids, [&](const State& state, CellId before) {
    for (CellId daughter = before; daughter < state.cells.count(); daughter += 2) {
      const py::ssize_t at = place_of.at(CellId(state.cells.life[daughter].parent));
      first.mutable_data()[at] = daughter;
      second.mutable_data()[at] = daughter + 1;
    }
  });
  return py::make_tuple(first, second);
}

void kill(SimulationHandle& self, const Ids& given, double over_s, int32_t at) {
  if (!(over_s >= 0) || !std::isfinite(over_s))
    throw UserError(fmt::format("over is {}, but a time must be at least 0 seconds.", over_s));
  Rule deed;
  deed.deed = Rule::Deed::die;
  if (over_s > 0) deed.dies_over_mcs = std::max(1.0, over_s / self.checked_model().units.seconds_per_mcs);
  deed.gone_at = at;
  carry_out(self, deed, ids_of(given));
}

void become(SimulationHandle& self, const Ids& given, const std::string& type) {
  Rule deed;
  deed.deed = Rule::Deed::become;
  deed.new_type = self.model().type_named(type);
  if (*deed.new_type == 0)
    throw UserError("type is \"medium\", but cells cannot become the medium; kill them.");
  carry_out(self, deed, ids_of(given));
}

}  // namespace

void bind_living(py::module_& module) {
  module.def("living_column", &living_column, py::arg("simulation"), py::arg("name"));
  module.def("set_property", &set_property, py::arg("simulation"), py::arg("name"), py::arg("values"));
  module.def("divide", &divide, py::arg("simulation"), py::arg("ids"), py::arg("plane"), py::arg("normal"));
  module.def("kill", &kill, py::arg("simulation"), py::arg("ids"), py::arg("over"), py::arg("at"));
  module.def("become", &become, py::arg("simulation"), py::arg("ids"), py::arg("type"));
}

}  // namespace kiln::python
