// Values of a model, from Python and back.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "model/file/overrides.hpp"

namespace kiln::python {

namespace py = pybind11;

// TypeError where Python's value is none that a model can hold. `place` is how messages name it.
Node node_of(const py::handle& value, const std::string& place);
py::object object_of(const Node& node);

// {"types.cell.act.lambda": 300, ...}; messages name `what["KEY"] = VALUE`.
std::vector<Override> overrides_of(const py::dict& changes, const std::string& what);

}  // namespace kiln::python
