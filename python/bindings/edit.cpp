// Painting on a simulation's lattice: on a copy, that takes the place of its state once it is known to be
// sound.
#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>

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
  // A ball's sites that are medium; 0 where it has none.
  CellId add_ball(const std::string& type, const std::vector<double>& centre, double radius) {
    require_open();
    const Lattice& lattice = state_.lattice;
    if (centre.size() != std::size_t(lattice.dimension))
      throw UserError(fmt::format("a place has {} numbers, but one with {} was given.", lattice.dimension,
                                  centre.size()));
    constexpr double kFarthest = 1e5;  // sites
    for (const double number : centre)
      if (!(std::abs(number) <= kFarthest))
        throw UserError(fmt::format("a place has {}, but must lie within {:g} sites.", number, kFarthest));
    const double most = *std::max_element(&lattice.size.x, &lattice.size.x + lattice.dimension);
    if (!(radius > 0 && radius <= most))
      throw UserError(
          fmt::format("radius is {}, but must be more than 0 and at most {} sites.", radius, most));
    const TypeId type_of_cell = simulation_.model().type_named(type);
    const Vec3d at{centre[0], centre[1], lattice.dimension == 3 ? centre[2] : 0};
    const auto low = [&](int axis) { return int32_t(std::ceil(at[axis] - radius)); };
    const auto high = [&](int axis) { return int32_t(std::floor(at[axis] + radius)); };
    CellId cell = kMedium;
    for (int32_t z = lattice.dimension == 3 ? low(2) : 0; z <= (lattice.dimension == 3 ? high(2) : 0); ++z)
      for (int32_t y = low(1); y <= high(1); ++y)
        for (int32_t x = low(0); x <= high(0); ++x) {
          const Vec3d away{x - at.x, y - at.y, z - at.z};
          Vec3i place{x, y, z};
          if (dot(away, away) > radius * radius || !lattice.wrap(place)) continue;
          CellId& id = state_.ids[std::size_t(lattice.index(place))];
          if (id != kMedium) continue;
          if (cell == kMedium) cell = state_.cells.add(type_of_cell);
          id = cell;
        }
    return cell;
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
      .def("add_ball", &Edit::add_ball, py::arg("type"), py::arg("centre"), py::arg("radius"))
      .def("set_type", &Edit::set_type, py::arg("cell"), py::arg("type"))
      .def("apply", &Edit::apply)
      .def_property_readonly("lattice", &lattice_of);
}

}  // namespace kiln::python
