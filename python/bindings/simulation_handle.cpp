#include "simulation_handle.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/parallel.hpp"
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
  const std::string_view age = lives_columns()[kAgeOfLife].name;
  for (std::size_t k = 0; k < c.lives.size(); ++k)
    d[py::str(c.lives[k])] =
        scaled(c.of_lives[k], physical && c.lives[k] == age ? model.units.seconds_per_mcs : 1);
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

}  // namespace

EngineOptions options_of(const std::string& engine, const std::string& schedule, int threads, int device,
                         const std::string& devices, const std::string& bricks) {
  EngineOptions options;
  options.engine = engine;
  options.schedule = schedule;
  options.threads = threads;
  options.device = device;
  options.devices = devices;
  options.bricks = bricks;
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

SimulationHandle::~SimulationHandle() {
  if (view_) view_->close();
}

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
      if (live_) live_->set_goal(end);
      do {
        simulation_->advance_a_while(next_stop(end) - simulation_->mcs());
        if (diary_) diary_->note();
        show_rows();
        if (live_) live_->pulse(simulation_->mcs());
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
    if (live_) live_->model_changed(simulation.model());
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
    if (live_) live_->cells_changed();
  });
}

void SimulationHandle::change_state(const std::function<void(const Model&, State&)>& change) {
  replace_state(mcs(), [&](const Model& model, const State& state) {
    State changed;
    copy_state(state, changed, all_threads());
    change(model, changed);
    return changed;
  });
}

std::shared_ptr<ViewHandle> SimulationHandle::view(const view::ViewOptions& options) {
  if (run_ != nullptr) throw UserError("the simulation belongs to a run: kiln.run shows it, with view=True.");
  http::require_server();
  return read([&](Simulation& simulation) {
    if (view_ && view_->is_open()) return view_;
    view::LiveSimulation::Owner& owner = *this;
    const auto live = std::make_shared<view::LiveSimulation>(simulation, "kiln.Simulation", owner);
    view_ = std::make_shared<ViewHandle>(live, live, options);
    live_ = live;
    show_rows();
    return view_;
  });
}

void SimulationHandle::show_rows() {
  if (live_ && diary_) live_->take_rows(diary_->rows(), simulation_->model());
}

void SimulationHandle::between_stretches(const std::function<void()>& look) {
  if (access_.is_busy()) return;
  const Access::Still still(access_);
  // What has begun meanwhile takes its frames itself.
  if (!access_.is_busy()) look();
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
  return read([&](Simulation& simulation) {
    const Model& model = checked_model();
    const Watch* watched = watch();
    Rows rows;
    if (name == "lineage" && model.living != nullptr)
      rows = lineage_rows(simulation.engine().state_of_cells().cells, model);
    if (name == "measures") {
      rows.columns = measures_columns(model);
      if (diary_)
        for (const MeasureRow& row : diary_->rows()) rows.rows.push_back(measures_fields(row));
    } else if (name == "direction_correlation") {
      if (diary_) rows = diary_->correlation();
    } else if (watched != nullptr) {
      if (name == "lags") rows = lag_rows(watched->tracks().lags());
      if (name == "speeds") rows = speed_rows(watched->motility().speeds(), model);
      if (name == "motility") rows = motility_rows(watched->motility().speeds(), model);
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
                cell_rows(Look(simulation.engine()), checked_model().frozen_types(), 1, all_threads()),
                checked_model());
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

}  // namespace kiln::python
