// Concentrations of substances, and other ones in their place.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

using Values = py::array_t<double, py::array::c_style | py::array::forcecast>;

std::size_t number_of(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (const SubstanceData& s : model.substances) {
    if (s.name == name) return known.size();
    known.push_back(s.name);
  }
  throw UserError(known.empty() ? fmt::format("substances[\"{}\"]: the model has no substances.", name)
                                : fmt::format("substances[\"{}\"] is not known; there are {}.", name,
                                              fmt::join(known, ", ")));
}

// By voxel, a copy: engines exchange what lies behind it.
py::array values(SimulationHandle& self, const std::string& name) {
  return self.read([&](Simulation& simulation) {
    const Substance& s = simulation.engine().state().substances[number_of(simulation.model(), name)];
    return py::array_t<double>(shape_of(s.voxels), s.values.data());
  });
}

// By site, as cells feel it: interpolated between the centres of voxels.
py::array at_sites(SimulationHandle& self, const std::string& name) {
  return self.read([&](Simulation& simulation) {
    const State& state = simulation.engine().state();
    const SubstanceView view = state.substances[number_of(simulation.model(), name)].view();
    py::array_t<float> result(shape_of(state.lattice));
    float* const to = result.mutable_data();
    in_parallel(state.lattice.sites(), all_threads(), [&](int, int64_t begin, int64_t end) {
      for (Site site = begin; site < end; ++site) {
        const Vec3i place = state.lattice.position(site);
        to[site] = state.lattice.dimension == 2 ? concentration_at<2>(view, place)
                                                : concentration_at<3>(view, place);
      }
    });
    return result;
  });
}

// One value, or one for each voxel. Its books begin anew.
void set(SimulationHandle& self, const std::string& name, const Values& given) {
  self.change_state([&](const Model& model, State& state) {
    const std::size_t number = number_of(model, name);
    Substance& s = state.substances[number];
    const std::vector<py::ssize_t> wanted = shape_of(s.voxels),
                                   shape(given.shape(), given.shape() + given.ndim());
    if (!shape.empty() && shape != wanted)
      throw UserError(fmt::format("substances[\"{}\"] has the shape ({}), but ({}) was given.", name,
                                  fmt::join(wanted, ", "), fmt::join(shape, ", ")));
    for (std::size_t voxel = 0; voxel < s.values.size(); ++voxel) {
      const double value = given.data()[shape.empty() ? 0 : voxel];
      if (!std::isfinite(value))
        throw UserError(fmt::format("substances[\"{}\"] was given {}, but must be a number.", name, value));
      s.values[voxel] = value;
    }
    s.show();
    s.first_total = s.total = std::numeric_limits<double>::quiet_NaN();
    s.budget = {};
  });
}

}  // namespace

void bind_substances(py::module_& module) {
  module.def("substance", &values, py::arg("simulation"), py::arg("name"));
  module.def("substance_at_sites", &at_sites, py::arg("simulation"), py::arg("name"));
  module.def("set_substance", &set, py::arg("simulation"), py::arg("name"), py::arg("values"));
}

}  // namespace kiln::python
