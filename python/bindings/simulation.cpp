// Simulations as a class of the module: first states, views of the engine's memory, and all that the handle
// does.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "model/edit.hpp"
#include "model/file/read.hpp"
#include "output/state/checkpoint.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

std::vector<CellId> ids_of(const Model& model, const py::array& given) {
  const char kind = given.dtype().kind();
  if (kind != 'u' && kind != 'i')
    throw UserError("a lattice holds ids of cells: whole numbers, 0 for the medium.");
  const std::vector<py::ssize_t> wanted = shape_of(model.lattice);
  const std::vector<py::ssize_t> shape(given.shape(), given.shape() + given.ndim());
  if (shape != wanted)
    throw UserError(fmt::format("the lattice given has the shape ({}), but the model's has ({}).",
                                fmt::join(shape, ", "), fmt::join(wanted, ", ")));
  const auto values = py::array_t<int64_t, py::array::c_style | py::array::forcecast>::ensure(given);
  std::vector<CellId> ids(std::size_t(values.size()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const int64_t id = values.data()[i];
    if (id < 0 || id > int64_t(ids.size()))
      throw UserError(
          fmt::format("the lattice given holds {}, but ids go from 0, the medium, to at most the "
                      "number of sites, {}.",
                      id, ids.size()));
    ids[i] = CellId(id);
  }
  return ids;
}

std::string repr_of(const py::handle& value) { return py::cast<std::string>(py::repr(value)); }

TypeId type_of(const ModelHandle& model, const py::handle& name) {
  if (!py::isinstance<py::str>(name))
    throw UserError(fmt::format("types holds {}, but must hold names of cell types.", repr_of(name)));
  return model.type_named(py::cast<std::string>(name));
}

// None: the first type for all; a name: that type for all; a list: a name per cell, from cell 1 on; a dict:
// names by id, the first type for the others.
std::vector<TypeId> types_of(const ModelHandle& model, const py::object& given, std::size_t count) {
  if (model.model().types.size() < 2) throw UserError("the model has no cell types.");
  std::vector<TypeId> types(count, 1);
  types[0] = 0;
  if (given.is_none()) return types;
  if (py::isinstance<py::str>(given)) {
    std::fill(types.begin() + 1, types.end(), type_of(model, given));
  } else if (py::isinstance<py::dict>(given)) {
    for (const auto& [id, name] : py::cast<py::dict>(given)) {
      py::detail::make_caster<int64_t> at;
      if (!at.load(id, true) || int64_t(at) < 1 || int64_t(at) >= int64_t(count))
        throw UserError(fmt::format("types names cell {}, but the lattice holds the cells 1 to {}.",
                                    repr_of(id), count - 1));
      types[std::size_t(int64_t(at))] = type_of(model, name);
    }
  } else {
    if (!py::isinstance<py::sequence>(given))
      throw UserError(fmt::format("types is {}, but must be a name, a list of names or a dict of them by id.",
                                  repr_of(given)));
    const py::list names(given);
    if (names.size() + 1 != count)
      throw UserError(fmt::format("types has {} entries, but the lattice holds the cells 1 to {}.",
                                  names.size(), count - 1));
    for (std::size_t i = 0; i < names.size(); ++i) types[i + 1] = type_of(model, names[i]);
  }
  return types;
}

State first_state(const ModelHandle& model, const py::object& lattice, const py::object& types) {
  if (lattice.is_none()) {
    if (!types.is_none()) throw UserError("types says what cells of a lattice are; give lattice, too.");
    const std::shared_ptr<const Model> kept = model.shared();
    const py::gil_scoped_release others_may_go_on;
    require_memory(*kept);
    return initial_state(*kept);
  }
  const std::vector<CellId> ids = ids_of(model.model(), py::array::ensure(lattice));
  const CellId most = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  return state_of_ids(model.model(), ids, types_of(model, types, std::size_t(most) + 1));
}

std::unique_ptr<SimulationHandle> load(const std::string& file, EngineOptions engine, bool record) {
  Checkpoint checkpoint = read_checkpoint(file);
  const std::optional<Steering>& steering = checkpoint.info.steering;
  const bool steered = steering && !steering->model.empty();
  const ModelHandle model(parse_document(steered ? steering->model : checkpoint.info.model, file), file, ".");
  engine.schedule = checkpoint.info.schedule;
  if (engine.schedule == "serial" && engine.engine == "auto") engine.engine = "serial";
  return std::make_unique<SimulationHandle>(model, std::move(checkpoint.state), engine, record,
                                            checkpoint.info.counts);
}

// A view of memory that belongs to an engine.
template <class T>
py::array view_of(const T* data, std::vector<py::ssize_t> shape, std::vector<py::ssize_t> strides,
                  std::shared_ptr<Engine> owner) {
  auto* kept = new std::shared_ptr<Engine>(std::move(owner));
  const py::capsule base(kept, [](void* p) { delete static_cast<std::shared_ptr<Engine>*>(p); });
  py::array result(py::dtype::of<T>(), std::move(shape), std::move(strides), data, base);
  result.attr("flags").attr("writeable") = false;
  return result;
}

template <class T>
py::array site_view(const Simulation& simulation, const HugeVector<T>& values) {
  const std::vector<py::ssize_t> shape = shape_of(simulation.model().lattice);
  std::vector<py::ssize_t> strides(shape.size(), sizeof(T));
  for (std::size_t i = shape.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * shape[i + 1];
  return view_of(values.data(), shape, strides, simulation.shared_engine());
}

// `member(cells)`: the value of the medium, which the others follow.
template <class Member>
py::array cell_view(SimulationHandle& self, std::size_t stride, const Member& member) {
  return self.read([&](Simulation& simulation) {
    const Cells& cells = simulation.engine().state_of_cells().cells;
    using Value = std::remove_cvref_t<decltype(*member(cells))>;
    // Where cells are born, tables move in memory: then it is a copy.
    if (!cells.life.empty())
      return py::array(py::dtype::of<Value>(), {py::ssize_t(cells.count())}, {py::ssize_t(stride)},
                       member(cells));
    return view_of(member(cells), {py::ssize_t(cells.count())}, {py::ssize_t(stride)},
                   simulation.shared_engine());
  });
}

py::array positions(Simulation& simulation) {
  const State& state = simulation.engine().state_of_cells();
  const py::ssize_t axes = state.lattice.dimension, count = py::ssize_t(state.cells.count());
  py::array_t<double> result({count, axes});
  auto at = result.mutable_unchecked<2>();
  for (py::ssize_t cell = 0; cell < count; ++cell) {
    const bool there = state.cells.extent[std::size_t(cell)].volume > 0;
    const Vec3d place = there ? state.cells.position(CellId(cell)) : Vec3d{};
    for (int axis = 0; axis < axes; ++axis) at(cell, axis) = there ? place[axis] : std::nan("");
  }
  return result;
}

py::dict counts_of(const AttemptCounts& counts) {
  py::dict d;
  d["attempts"] = counts.attempts;
  d["live"] = counts.live;
  d["accepted"] = counts.accepted;
  return d;
}

}  // namespace

void bind_simulation(py::module_& module) {
  py::class_<EngineOptions>(module, "EngineOptions")
      .def(py::init(&options_of), py::arg("engine"), py::arg("schedule"), py::arg("threads"),
           py::arg("device"), py::arg("devices"), py::arg("bricks"));
  py::class_<SimulationHandle>(module, "Simulation")
      .def(py::init([](const ModelHandle& model, const EngineOptions& engine, bool record,
                       const py::object& lattice, const py::object& types) {
             const ModelHandle kept = model;
             State state = first_state(kept, lattice, types);
             const py::gil_scoped_release others_may_go_on;  // while kernels are compiled
             return std::make_unique<SimulationHandle>(kept, std::move(state), engine, record);
           }),
           py::arg("model"), py::arg("engine"), py::arg("record"), py::arg("lattice"), py::arg("types"))
      .def_static("load", &load, py::arg("file"), py::arg("engine"), py::arg("record"))
      .def("run", &SimulationHandle::run, py::arg("mcs"), py::arg("tick"))
      .def("change", &SimulationHandle::change, py::arg("changes"))
      .def("save", &SimulationHandle::save, py::arg("file"))
      .def("table", &SimulationHandle::table, py::arg("name"))
      .def("tracks", &SimulationHandle::tracks, py::arg("physical"))
      .def("cells", &SimulationHandle::cells, py::arg("physical"))
      .def("picture", &SimulationHandle::picture, py::arg("settings"))
      .def("substance_names",
           [](SimulationHandle& self) {
             std::vector<std::string> names;
             for (const SubstanceData& s : self.checked_model().substances) names.push_back(s.name);
             return names;
           })
      .def("positions", [](SimulationHandle& self) { return self.read(positions); })
      .def("model", [](SimulationHandle& self) { return ModelHandle(self.model()); })
      .def("counts",
           [](SimulationHandle& self) {
             return self.read([](Simulation& simulation) { return counts_of(simulation.counts()); });
           })
      .def("hash",
           [](SimulationHandle& self) {
             return self.read([](Simulation& simulation) { return state_hash(simulation.engine().state()); });
           })
      .def_property_readonly("folder", &SimulationHandle::folder)
      .def_property_readonly("mcs", &SimulationHandle::mcs)
      .def_property_readonly("seconds", &SimulationHandle::seconds)
      .def_property_readonly("lattice_sites",
                             [](SimulationHandle& self) { return self.checked_model().lattice.sites(); })
      .def_property_readonly(
          "phase", [](SimulationHandle& self) { return self.checked_model().phase_at(self.mcs()).name; })
      .def_property_readonly(
          "engine",
          [](SimulationHandle& self) { return self.read([](Simulation& s) { return s.engine().name(); }); })
      .def_property_readonly("schedule",
                             [](SimulationHandle& self) {
                               return self.read([](Simulation& s) { return s.engine().schedule(); });
                             })
      .def_property_readonly("settings",
                             [](SimulationHandle& self) {
                               return self.read([](Simulation& s) { return s.engine().settings(); });
                             })
      .def_property_readonly(
          "gpu",
          [](SimulationHandle& self) { return self.read([](Simulation& s) { return s.engine().gpu(); }); })
      .def_property_readonly(
          "lattice",
          [](SimulationHandle& self) {
            return self.read([](Simulation& s) { return site_view(s, s.engine().state().ids); });
          })
      .def_property_readonly("act",
                             [](SimulationHandle& self) {
                               return self.read([](Simulation& s) -> py::object {
                                 const State& state = s.engine().state();
                                 if (state.act.empty()) return py::none();
                                 return site_view(s, state.act);
                               });
                             })
      .def_property_readonly("type",
                             [](SimulationHandle& self) {
                               return cell_view(self, sizeof(TypeId),
                                                [](const Cells& cells) { return cells.type.data(); });
                             })
      .def_property_readonly("volume",
                             [](SimulationHandle& self) {
                               return cell_view(self, sizeof(Cells::Extent), [](const Cells& cells) {
                                 return &cells.extent.data()->volume;
                               });
                             })
      .def_property_readonly("perimeter", [](SimulationHandle& self) {
        return cell_view(self, sizeof(Cells::Extent),
                         [](const Cells& cells) { return &cells.extent.data()->perimeter; });
      });
}

}  // namespace kiln::python
