// kiln._kiln: the engine, as the Python package uses it. What users see is in ../kiln.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <string>
#include <tuple>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "output/picture/png.hpp"
#include "output/table/columns.hpp"
#include "simulation/plan.hpp"
#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

py::bytes png_of(const py::array_t<uint8_t, py::array::c_style>& rgb) {
  if (rgb.ndim() != 3 || rgb.shape(2) != 3) throw UserError("a picture has the shape (height, width, 3).");
  Image image(int(rgb.shape(1)), int(rgb.shape(0)));
  std::copy(rgb.data(), rgb.data() + rgb.size(), image.rgb.begin());
  return py::bytes(encode_png(image));
}

// Name, unit and meaning of each column.
std::vector<std::tuple<std::string, std::string, std::string>> columns_of(const std::string& file) {
  std::vector<std::tuple<std::string, std::string, std::string>> result;
  for (const TableInfo& table : all_tables())
    if (table.file == file)
      for (const ColumnInfo& column : table.columns)
        result.emplace_back(column.name, column.unit, column.meaning);
  if (!result.empty()) return result;
  std::string files;
  for (const TableInfo& table : all_tables())
    files += fmt::format("{}\"{}\"", files.empty() ? "" : ", ", table.file);
  throw UserError(fmt::format("file is \"{}\", but must be one of {}.", file, files));
}

std::string plan_of(const ModelHandle& model, int ranks, const std::string& bricks, const std::string& on) {
  return plan_json(plan_for(model.model(), ranks, bricks, hardware_named(on)), model.model());
}

}  // namespace
}  // namespace kiln::python

PYBIND11_MODULE(_kiln, module) {
  namespace py = pybind11;
  using namespace kiln::python;
  module.attr("__version__") = KILN_VERSION;
  py::register_exception<kiln::UserError>(module, "UserError", PyExc_ValueError).attr("__module__") = "kiln";
  py::register_exception<kiln::Failure>(module, "Failure", PyExc_RuntimeError).attr("__module__") = "kiln";
  bind_model(module);
  bind_simulation(module);
  bind_edit(module);
  bind_living(module);
  bind_substances(module);
  bind_run(module);
  bind_sweep(module);
  bind_device_array(module);
  bind_targets(module);
  bind_view(module);
  module.def("plan", &plan_of, py::arg("model"), py::arg("ranks"), py::arg("bricks"), py::arg("on"));
  module.def(
      "write_file",
      [](const std::string& file, const py::bytes& content) {
        kiln::write_text_atomically(file, std::string_view(content));
      },
      py::arg("file"), py::arg("content"));
  module.def("columns", &columns_of, py::arg("file"));
  module.def("png", &png_of, py::arg("rgb"));
}
