#include "simulation_handle.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "model/edit.hpp"
#include "model/file/read.hpp"
#include "output/picture/picture.hpp"
#include "output/picture/png.hpp"
#include "output/state/checkpoint.hpp"
#include "output/table/motility_tables.hpp"
#include "output/table/tables.hpp"

namespace kiln::python {
namespace {

template <class T>
py::array_t<T> array_of(const std::vector<T>& values) {
  return py::array_t<T>(py::ssize_t(values.size()), values.data());
}

// The columns of cells.csv. In lattice units, positions are in sites and `t` is left out.
py::dict cell_columns(const TrackColumns& c, const Model& model, bool physical) {
  const auto scaled = [](const auto& values, double factor) {
    py::array_t<double> result(py::ssize_t(values.size()));
    double* to = result.mutable_data();
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = double(values[i]) * factor;
    return result;
  };
  const double um = physical ? model.units.voxel_um : 1;
  py::list names;
  for (const CellType& type : model.types) names.append(type.name);
  const py::object values[] = {array_of(c.id),
                               scaled(c.mcs, model.units.seconds_per_mcs),
                               scaled(c.x, um),
                               scaled(c.y, um),
                               scaled(c.z, um),
                               array_of(c.mcs),
                               py::make_tuple(array_of(c.type), names),  // codes and what they stand for
                               array_of(c.volume),
                               array_of(c.perimeter),
                               array_of(c.neighbours)};
  py::dict d;
  for (std::size_t i = 0; i < std::size(values); ++i) {
    const std::string_view name = cells_columns()[i].name;
    if (physical || name != "t") d[py::str(name.data(), name.size())] = values[i];
  }
  return d;
}

py::object object_of(const TableValue& field) {
  struct Converter {
    py::object operator()(int64_t value) const { return py::int_(value); }
    py::object operator()(double value) const { return py::float_(value); }
    py::object operator()(std::string_view value) const { return py::str(value.data(), value.size()); }
  };
  return std::visit(Converter{}, field);
}

// Models may change on the way, and rows that are older than a column lack it.
py::dict columns_of(const Rows& table) {
  py::dict result;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    py::list column;
    for (const std::vector<TableValue>& row : table.rows)
      column.append(i < row.size() ? object_of(row[i]) : py::float_(std::nan("")));
    result[py::str(table.columns[i])] = column;
  }
  return result;
}

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

// None: the first type for all; a name: that type for all; a list: a name per cell, from cell 1 on; a dict:
// names by id, the first type for the others.
std::vector<TypeId> types_of(const ModelHandle& model, const py::object& given, std::size_t count) {
  if (model.model().types.size() < 2) throw UserError("the model has no cell types.");
  std::vector<TypeId> types(count, 1);
  types[0] = 0;
  if (given.is_none()) return types;
  if (py::isinstance<py::str>(given)) {
    std::fill(types.begin() + 1, types.end(), model.type_named(py::cast<std::string>(given)));
  } else if (py::isinstance<py::dict>(given)) {
    for (const auto& [id, name] : py::cast<py::dict>(given)) {
      const auto at = py::cast<int64_t>(id);
      if (at < 1 || at >= int64_t(count))
        throw UserError(
            fmt::format("types names cell {}, but the lattice holds the cells 1 to {}.", at, count - 1));
      types[std::size_t(at)] = model.type_named(py::cast<std::string>(name));
    }
  } else {
    const auto names = py::cast<std::vector<std::string>>(given);
    if (names.size() + 1 != count)
      throw UserError(fmt::format("types has {} entries, but the lattice holds the cells 1 to {}.",
                                  names.size(), count - 1));
    for (std::size_t i = 0; i < names.size(); ++i) types[i + 1] = model.type_named(names[i]);
  }
  return types;
}

State first_state(const ModelHandle& model, const py::object& lattice, const py::object& types) {
  if (lattice.is_none()) {
    if (!types.is_none()) throw UserError("types says what cells of a lattice are; give lattice, too.");
    require_memory(model.model());
    return initial_state(model.model());
  }
  const std::vector<CellId> ids = ids_of(model.model(), py::array::ensure(lattice));
  const CellId most = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end());
  return state_of_ids(model.model(), ids, types_of(model, types, std::size_t(most) + 1));
}

std::unique_ptr<SimulationHandle> load(const std::string& file, const std::string& engine, int threads,
                                       int device, bool record) {
  Checkpoint checkpoint = read_checkpoint(file);
  const std::optional<Steering>& steering = checkpoint.info.steering;
  const bool steered = steering && !steering->model.empty();
  const ModelHandle model(parse_document(steered ? steering->model : checkpoint.info.model, file), file, ".");
  const bool serial = checkpoint.info.schedule == "serial";
  return std::make_unique<SimulationHandle>(
      model, std::move(checkpoint.state),
      options_of(serial && engine == "auto" ? "serial" : engine, checkpoint.info.schedule, threads, device),
      record, checkpoint.info.counts);
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

EngineOptions options_of(const std::string& engine, const std::string& schedule, int threads, int device) {
  EngineOptions options;
  options.engine = engine;
  options.schedule = schedule;
  options.threads = threads;
  options.device = device;
  return options;
}

std::vector<py::ssize_t> shape_of(const Lattice& lattice) {
  const Vec3i& size = lattice.size;
  if (lattice.dimension == 2) return {size.y, size.x};
  return {size.z, size.y, size.x};
}

SimulationHandle::SimulationHandle(const ModelHandle& model, State state, const EngineOptions& options,
                                   bool record, const AttemptCounts& before)
    : model_(model) {
  simulation_ = &own_.emplace(model_.shared(), std::move(state), options, before);
  if (record) diary_.emplace(*simulation_);
}

SimulationHandle::SimulationHandle(const ModelHandle& model, std::shared_ptr<Run> run)
    : model_(model), run_(std::move(run)), simulation_(&run_->simulation()) {}

int64_t SimulationHandle::next_stop(int64_t end) const { return diary_ ? diary_->next_due(end) : end; }

void SimulationHandle::require_open() const {
  if (has_ended_) throw UserError("the run that this simulation belongs to has ended.");
}

const Watch* SimulationHandle::watch() const {
  if (diary_) return &diary_->watch();
  return run_ != nullptr && run_->writer() != nullptr ? &run_->writer()->tables().watch() : nullptr;
}

void SimulationHandle::run(int64_t mcs, const py::object& tick) {
  if (mcs < 0) throw UserError(fmt::format("mcs is {}, but must be at least 0.", mcs));
  if (run_ != nullptr)
    throw UserError("the simulation belongs to a run, which goes on by itself when the call returns.");
  const Access::Busy busy(access_);
  if (busy.nested())
    throw UserError("the simulation is running; it goes on by itself when the call returns.");
  const int64_t end = simulation_->mcs() + mcs;
  while (simulation_->mcs() < end) {
    {
      const py::gil_scoped_release others_may_go_on;
      const Access::Still still(access_);
      // Short stretches between two rows are no reason to ask Python each time.
      const double start = simulation_->seconds();
      do {
        simulation_->advance_a_while(next_stop(end) - simulation_->mcs());
        if (diary_) diary_->note();
      } while (simulation_->mcs() < end && simulation_->seconds() - start < 0.05);
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (!tick.is_none()) tick(simulation_->mcs());
  }
}

void SimulationHandle::change(const py::dict& changes) {
  require_open();
  const Access::Busy busy(access_);
  ModelHandle changed = model_;
  changed.change(overrides_of(changes, "model"));
  read([&](Simulation& simulation) {
    if (run_ != nullptr)
      run_->change_model(changed.shared());
    else
      simulation.change_model(changed.shared());
    model_ = std::move(changed);
    if (diary_) diary_->model_changed();
  });
}

void SimulationHandle::replace_state(int64_t at_mcs,
                                     const std::function<State(const Model&, const State&)>& complete) {
  require_open();
  const Access::Busy busy(access_);
  read([&](Simulation& simulation) {
    if (simulation.mcs() != at_mcs)
      throw UserError(fmt::format("the simulation has gone on to MCS {} since this edit began at MCS {}.",
                                  simulation.mcs(), at_mcs));
    State state = complete(simulation.model(), simulation.engine().state());
    if (run_ != nullptr)
      run_->change_state(std::move(state));
    else
      simulation.change_state(std::move(state));
    if (diary_) diary_->cells_changed();
  });
}

void SimulationHandle::save(const std::string& file) {
  read([&](Simulation& simulation) {
    Engine& engine = simulation.engine();
    write_checkpoint(
        file, engine.state(),
        checkpoint_info(simulation.model(), simulation.mcs(), simulation.counts(), engine.schedule()));
  });
}

py::dict SimulationHandle::table(const std::string& name) {
  return read([&](Simulation&) {
    const Model& model = checked_model();
    const Watch* watched = watch();
    Rows rows;
    if (name == "measures") {
      rows.columns = measures_columns(model);
      if (diary_)
        for (const MeasureRow& row : diary_->rows()) rows.rows.push_back(measures_fields(row));
    } else if (name == "direction_correlation") {
      if (diary_) rows = diary_->correlation();
    } else if (watched != nullptr) {
      if (name == "lags") rows = lag_rows(watched->tracks().lags());
      if (name == "speeds") rows = speed_rows(watched->motility().speeds().sums(), model);
      if (name == "motility") rows = motility_rows(watched->motility().speeds().sums(), model);
    }
    return columns_of(rows);
  });
}

py::dict SimulationHandle::tracks(bool physical) {
  return read([&](Simulation&) {
    return cell_columns(diary_ ? diary_->tracks() : TrackColumns{}, checked_model(), physical);
  });
}

py::dict SimulationHandle::cells(bool physical) {
  return read([&](Simulation& simulation) {
    TrackColumns columns;
    columns.add(simulation.mcs(),
                cell_rows(Look(simulation.engine()), checked_model().frozen_types(), 1, all_threads()));
    return cell_columns(columns, checked_model(), physical);
  });
}

py::object SimulationHandle::picture(const py::dict& settings) {
  ModelHandle with_picture = model_;
  py::list one;
  one.append(settings);
  py::dict change;
  change["pictures"] = one;
  with_picture.change(overrides_of(change, "model"));
  const Image image = read([&](Simulation& simulation) {
    return draw(with_picture.model().pictures.front(), with_picture.model(), simulation.engine().state());
  });
  py::array_t<uint8_t> result({py::ssize_t(image.height), py::ssize_t(image.width), py::ssize_t(3)});
  std::copy(image.rgb.begin(), image.rgb.end(), result.mutable_data());
  return result;
}

void bind_simulation(py::module_& module) {
  py::class_<SimulationHandle>(module, "Simulation")
      .def(py::init([](const ModelHandle& model, const std::string& engine, const std::string& schedule,
                       int threads, int device, bool record, const py::object& lattice,
                       const py::object& types) {
             return std::make_unique<SimulationHandle>(model, first_state(model, lattice, types),
                                                       options_of(engine, schedule, threads, device), record);
           }),
           py::arg("model"), py::arg("engine"), py::arg("schedule"), py::arg("threads"), py::arg("device"),
           py::arg("record"), py::arg("lattice"), py::arg("types"))
      .def_static("load", &load, py::arg("file"), py::arg("engine"), py::arg("threads"), py::arg("device"),
                  py::arg("record"))
      .def("run", &SimulationHandle::run, py::arg("mcs"), py::arg("tick"))
      .def("change", &SimulationHandle::change, py::arg("changes"))
      .def("save", &SimulationHandle::save, py::arg("file"))
      .def("table", &SimulationHandle::table, py::arg("name"))
      .def("tracks", &SimulationHandle::tracks, py::arg("physical"))
      .def("cells", &SimulationHandle::cells, py::arg("physical"))
      .def("picture", &SimulationHandle::picture, py::arg("settings"))
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
