// A simulation as Python holds it, with its model and the tables that it fills on the way.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>

#include "model_handle.hpp"
#include "simulation/diary.hpp"
#include "simulation/simulation.hpp"

namespace kiln::python {

class SimulationHandle {
 public:
  SimulationHandle(const ModelHandle& model, State state, const EngineOptions& options, bool record,
                   const AttemptCounts& before = {});

  Simulation& simulation() { return simulation_; }
  const ModelHandle& model() const { return model_; }
  const Model& checked_model() const { return model_.model(); }

  // Runs without Python's lock. `tick` is called now and then with the MCS so far, unless it is None; what it
  // raises, and Ctrl-C, end the run between two MCS.
  void run(int64_t mcs, const py::object& tick);
  void change(const py::dict& changes);
  void replace_state(State state);
  void save(const std::string& file);

  // Columns by name, of what `kiln run` writes as NAME.csv.
  py::dict table(const std::string& name) const;
  py::dict tracks(bool physical) const;
  py::dict cells(bool physical);                 // of this moment
  py::object picture(const py::dict& settings);  // rows of RGB

 private:
  int64_t next_stop(int64_t end) const;

  ModelHandle model_;
  Simulation simulation_;
  std::optional<Diary> diary_;
};

void bind_simulation(py::module_& module);
void bind_edit(py::module_& module);
void bind_sweep(py::module_& module);
void bind_device_array(py::module_& module);
void bind_targets(py::module_& module);

EngineOptions options_of(const std::string& engine, const std::string& schedule, int threads, int device);

// Of the model's shape: (y, x) or (z, y, x).
std::vector<py::ssize_t> shape_of(const Lattice& lattice);

}  // namespace kiln::python
