// Viewers as a class of the module, and those of saved states.
#include <pybind11/stl.h>
#include <unistd.h>

#include "simulation_handle.hpp"
#include "view/folder_source.hpp"

namespace kiln::python {

ViewHandle::ViewHandle(std::shared_ptr<view::Source> source, std::shared_ptr<view::LiveRun> live,
                       const view::ViewOptions& options)
    : parts_(std::make_unique<Parts>(
          Parts{std::move(live), std::make_unique<view::Viewer>(std::move(source), options)})),
      url_(parts_->viewer->url()),
      announcement_(parts_->viewer->announcement()),
      process_(getpid()) {}

bool ViewHandle::is_open() const {
  const std::lock_guard lock(mutex_);
  return parts_ != nullptr;
}

void ViewHandle::open_browser() const {
  const std::lock_guard lock(mutex_);
  if (parts_) parts_->viewer->open_browser();
}

void ViewHandle::show_saved_states(const std::filesystem::path& folder) {
  const std::lock_guard lock(mutex_);
  if (parts_) parts_->viewer->show_saved_states(folder);
}

void ViewHandle::close() {
  if (getpid() != process_) {
    (void)parts_.release();
    return;
  }
  // Whoever asks meanwhile whether it is open may hold the simulation, which a frame under way waits for.
  const std::lock_guard one_at_a_time(closing_);
  std::unique_ptr<Parts> closed;
  {
    const std::lock_guard lock(mutex_);
    closed = std::move(parts_);
  }
  if (closed && closed->live) closed->live->close();
}

namespace {

std::shared_ptr<ViewHandle> view_of_folder(const std::string& folder, const view::ViewOptions& options) {
  http::require_server();
  return std::make_shared<ViewHandle>(std::make_shared<view::FolderSource>(folder), nullptr, options);
}

}  // namespace

void bind_view(py::module_& module) {
  py::class_<view::ViewOptions>(module, "ViewOptions")
      .def(py::init([](std::optional<int> port, std::string listen, bool in_frames) {
             return view::ViewOptions{std::move(listen), port, in_frames};
           }),
           py::arg("port"), py::arg("listen"), py::arg("in_frames"));
  const auto without_python = py::call_guard<py::gil_scoped_release>();
  py::class_<ViewHandle, std::shared_ptr<ViewHandle>>(module, "View")
      .def("open_browser", &ViewHandle::open_browser)
      .def("close", &ViewHandle::close, without_python)
      .def_property_readonly("url", &ViewHandle::url)
      .def_property_readonly("announcement", &ViewHandle::announcement)
      .def_property_readonly("is_open", &ViewHandle::is_open, without_python);
  module.def(
      "view", [](SimulationHandle& self, const view::ViewOptions& options) { return self.view(options); },
      py::arg("simulation"), py::arg("options"));
  module.def("view_folder", &view_of_folder, without_python, py::arg("folder"), py::arg("options"));
}

}  // namespace kiln::python
