// A lattice in the memory of a GPU, for programs that compute there: CuPy, PyTorch, Numba, JAX.
#include <pybind11/stl.h>

#include "simulation_handle.hpp"

namespace kiln::python {
namespace {

// The interface of DLPack, version 0 (dmlc.github.io/dlpack): other libraries read these structures.
struct DLDevice {
  int32_t type, index;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void* data;
  DLDevice device;
  int32_t axes;
  DLDataType type;
  int64_t* shape;
  int64_t* strides;  // nullptr: one after the other
  uint64_t byte_offset;
};
struct DLManagedTensor {
  DLTensor tensor;
  void* context;
  void (*deleter)(DLManagedTensor*);
};
constexpr int32_t kCuda = 2;
constexpr uint8_t kUnsigned = 1;

struct DeviceArray {
  DeviceIds ids;
  std::vector<int64_t> shape;
};

struct Exported {
  DLManagedTensor managed;
  DeviceArray array;
};

// Who takes the tensor renames the capsule; the others leave it to us.
void drop(PyObject* capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor") == 0) return;
  auto* managed = static_cast<DLManagedTensor*>(PyCapsule_GetPointer(capsule, "dltensor"));
  managed->deleter(managed);
}

// The ids are whole when this is called, so no stream has to wait.
py::object dlpack(const DeviceArray& array, const py::object&) {
  auto* exported = new Exported{{}, array};
  exported->managed.tensor = {reinterpret_cast<void*>(array.ids.address),
                              {kCuda, array.ids.device},
                              int32_t(array.shape.size()),
                              {kUnsigned, 32, 1},
                              exported->array.shape.data(),
                              nullptr,
                              0};
  exported->managed.context = exported;
  exported->managed.deleter = [](DLManagedTensor* tensor) { delete static_cast<Exported*>(tensor->context); };
  return py::reinterpret_steal<py::object>(PyCapsule_New(&exported->managed, "dltensor", drop));
}

py::dict cuda_array_interface(const DeviceArray& array) {
  py::dict d;
  d["shape"] = py::tuple(py::cast(array.shape));
  d["typestr"] = "<u4";
  d["data"] = py::make_tuple(array.ids.address, false);
  d["version"] = 3;
  return d;
}

py::object device_lattice(SimulationHandle& handle) {
  return handle.read([](Simulation& simulation) -> py::object {
    std::optional<DeviceIds> ids = simulation.engine().device_ids();
    if (!ids) return py::none();
    const std::vector<py::ssize_t> shape = shape_of(simulation.model().lattice);
    return py::cast(DeviceArray{*ids, {shape.begin(), shape.end()}});
  });
}

}  // namespace

void bind_device_array(py::module_& module) {
  py::class_<DeviceArray>(module, "DeviceArray")
      .def("__dlpack__", &dlpack, py::arg("stream") = py::none())
      .def("__dlpack_device__",
           [](const DeviceArray& array) { return py::make_tuple(kCuda, array.ids.device); })
      .def_property_readonly("__cuda_array_interface__", &cuda_array_interface)
      .def_property_readonly("shape",
                             [](const DeviceArray& array) { return py::tuple(py::cast(array.shape)); });
  module.def("device_lattice", &device_lattice, py::arg("simulation"));
}

}  // namespace kiln::python
