// Which sites a schedule tries, as arrays.
#include <pybind11/numpy.h>

#include <vector>

#include "engine/schedule/targets.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

// The sites tried in one MCS and when, in MCS since it began.
py::tuple targets(const ModelHandle& model, const std::string& schedule, int64_t mcs) {
  std::vector<Site> sites;
  std::vector<double> times;
  {
    const py::gil_scoped_release others_may_go_on;
    for_each_target(model.model(), schedule, mcs, [&](Site site, double time) {
      sites.push_back(site);
      times.push_back(time);
    });
  }
  return py::make_tuple(py::array_t<Site>(py::ssize_t(sites.size()), sites.data()),
                        py::array_t<double>(py::ssize_t(times.size()), times.data()));
}

}  // namespace

void bind_targets(py::module_& module) {
  module.def("targets", &targets, py::arg("model"), py::arg("schedule"), py::arg("mcs"));
}

}  // namespace kiln::python
