// Painting on a simulation's lattice: on a copy, that takes the place of its state once it is known to be
// sound.
#include <fmt/format.h>

#include "base/error.hpp"
#include "model/edit.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

class Edit {
 public:
  explicit Edit(SimulationHandle& of) : simulation_(of) {
    of.read([&](Simulation& simulation) {
      mcs_ = simulation.mcs();
      simulation.engine().begin_copy(state_)();
    });
  }

  State& state() { return state_; }

  CellId add_cell(const std::string& type) {
    require_open();
    return state_.cells.add(simulation_.model().type_named(type));
  }
  void set_type(CellId cell, const std::string& type) {
    require_open();
    if (cell == kMedium || cell >= state_.cells.count())
      throw UserError(
          fmt::format("there is no cell {}; there are the cells 1 to {}.", cell, state_.cells.count() - 1));
    state_.cells.type[cell] = simulation_.model().type_named(type);
  }

  void apply() {
    require_open();
    simulation_.replace_state(mcs_, [&](const Model& model, const State& old) {
      complete_edit(model, state_, old);
      open_ = false;
      State sound;
      kiln::copy_state(state_, sound, 1);  // arrays may still look at this one
      return sound;
    });
  }

 private:
  void require_open() const {
    if (!open_) throw UserError("this edit has been applied; begin another.");
  }

  SimulationHandle& simulation_;
  int64_t mcs_ = 0;
  State state_;
  bool open_ = true;
};

py::array lattice_of(const py::object& self) {
  State& state = py::cast<Edit&>(self).state();
  return py::array(py::dtype::of<CellId>(), shape_of(state.lattice), state.ids.data(), self);
}

}  // namespace

void bind_edit(py::module_& module) {
  py::class_<Edit>(module, "Edit")
      .def(py::init<SimulationHandle&>(), py::arg("simulation"), py::keep_alive<1, 2>())
      .def("add_cell", &Edit::add_cell, py::arg("type"))
      .def("set_type", &Edit::set_type, py::arg("cell"), py::arg("type"))
      .def("apply", &Edit::apply)
      .def_property_readonly("lattice", &lattice_of);
}

}  // namespace kiln::python
