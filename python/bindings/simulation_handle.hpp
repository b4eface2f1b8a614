// A simulation as Python holds it, with its model and the tables that it fills on the way.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "access.hpp"
#include "model_handle.hpp"
#include "simulation/diary.hpp"
#include "simulation/run/run.hpp"
#include "simulation/simulation.hpp"
#include "view/live_simulation.hpp"
#include "view_handle.hpp"

namespace kiln::python {

class SimulationHandle : private view::LiveSimulation::Owner {
 public:
  SimulationHandle(const ModelHandle& model, State state, const EngineOptions& options, bool record,
                   const AttemptCounts& before = {});
  // The simulation of a run that writes a folder, for the program that is asked on its way.
  SimulationHandle(const ModelHandle& model, std::shared_ptr<Run> run);
  ~SimulationHandle() override;

  const ModelHandle& model() const { return model_; }
  const Model& checked_model() const { return model_.model(); }
  int64_t mcs() const { return simulation_->mcs(); }
  double seconds() const { return simulation_->seconds(); }
  Access& access() { return access_; }
  // Of the run that it belongs to; "" where it has a simulation of its own.
  std::string folder() const { return run_ == nullptr ? "" : run_->folder().path.string(); }
  void run_has_ended() { has_ended_ = true; }

  // Calls use(simulation) while it stands still. Waits without Python's lock for a run beside it.
  template <class Use>
  auto read(const Use& use) {
    if (run_ != nullptr && access_.is_busy_elsewhere())
      throw UserError("the simulation belongs to a run in another thread; look at it where the run calls.");
    std::optional<Access::Still> still;
    {
      const py::gil_scoped_release others_may_go_on;
      still.emplace(access_);
    }
    return use(*simulation_);
  }

  // Runs without Python's lock. `tick` is called now and then with the MCS so far, unless it is None; what it
  // raises, and Ctrl-C, end the run between two MCS.
  void run(int64_t mcs, const py::object& tick);
  void change(const py::dict& changes);
  // Goes on with another state, if it is still at this MCS: complete(model, old) makes it sound.
  void replace_state(int64_t at_mcs, const std::function<State(const Model&, const State&)>& complete);
  // The same with a copy of the state that it stands at.
  void change_state(const std::function<void(const Model&, State&)>& change);
  void save(const std::string& file);

  // Columns by name, of what `kiln run` writes as NAME.csv.
  py::dict table(const std::string& name);
  py::dict tracks(bool physical);
  py::dict cells(bool physical);                 // of this moment
  py::object picture(const py::dict& settings);  // rows of RGB

  // Its viewer; another where that was closed. Not of a run, which has one of its own.
  std::shared_ptr<ViewHandle> view(const view::ViewOptions& options);

 private:
  int64_t next_stop(int64_t end) const;
  void require_open() const;
  const Watch* watch() const;  // null where nothing is recorded
  void show_rows();
  // For threads of the viewer, which know nothing of Python.
  bool plays() const override { return access_.is_busy(); }
  void between_stretches(const std::function<void()>& look) override;

  ModelHandle model_;
  Access access_;
  std::shared_ptr<Run> run_;       // null: this has a simulation of its own
  std::optional<Simulation> own_;  // none: that of the run
  Simulation* simulation_;
  bool has_ended_ = false;  // the run
  std::optional<Diary> diary_;
  // Guarded by the access, and closed before all else goes.
  std::shared_ptr<view::LiveSimulation> live_;  // null: nothing watches
  std::shared_ptr<ViewHandle> view_;
};

void bind_simulation(py::module_& module);
void bind_edit(py::module_& module);
void bind_living(py::module_& module);
void bind_substances(py::module_& module);
void bind_run(py::module_& module);
void bind_sweep(py::module_& module);
void bind_device_array(py::module_& module);
void bind_targets(py::module_& module);
void bind_view(py::module_& module);

EngineOptions options_of(const std::string& engine, const std::string& schedule, int threads, int device,
                         const std::string& devices, const std::string& bricks);

// Of the model's shape: (y, x) or (z, y, x).
std::vector<py::ssize_t> shape_of(const Lattice& lattice);

}  // namespace kiln::python
