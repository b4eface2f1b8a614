#include "model_handle.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "model/explain.hpp"
#include "model/file/compare.hpp"
#include "model/file/read.hpp"
#include "model/file/schema/schema.hpp"
#include "output/table/tables.hpp"

namespace kiln::python {
namespace {

ModelHandle read_file(const std::string& file, const py::dict& changes) {
  const std::filesystem::path path(file);
  std::string text = model_text(path);
  Node given = parse_document(text, file);
  return {std::move(given), file, path.parent_path().string(), overrides_of(changes, "model"),
          std::move(text),  file};
}

ModelHandle from_text(const std::string& text, const std::string& source, const std::string& folder) {
  return {parse_document(text, source), source, folder, {}, text};
}

ModelHandle from_dict(const py::dict& values, const std::string& source, const std::string& folder) {
  return {node_of(values, source), source, folder};
}

py::tuple size_of(const Model& model) {
  const Vec3i& size = model.lattice.size;
  if (model.lattice.dimension == 2) return py::make_tuple(size.x, size.y);
  return py::make_tuple(size.x, size.y, size.z);
}

std::vector<std::string> type_names(const Model& model) {
  std::vector<std::string> names;
  for (const CellType& type : model.types) names.push_back(type.name);
  return names;
}

// Tables of pairs add to the pairs that are there, so each pair is a change of its own.
void add_flat(std::vector<Override>& to, const Override& change) {
  const Node::Table* table = change.path[0] == kAdhesionSection.name ? change.value.table() : nullptr;
  if (table == nullptr) {
    to.push_back(change);
    return;
  }
  for (const Entry& e : *table) {
    Override part{change.path, e.node};
    part.path.push_back(e.key);
    add_flat(to, part);
  }
}

bool begins_with(const std::vector<std::string>& path, const std::vector<std::string>& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

// A value takes the place of former ones of its key, and of keys within it.
void add_latest(std::vector<Override>& to, const Override& change) {
  std::vector<Override> flat;
  add_flat(flat, change);
  for (Override& one : flat) {
    std::erase_if(to, [&](const Override& former) { return begins_with(former.path, one.path); });
    to.push_back(std::move(one));
  }
}

py::list phases_of(const Model& model) {
  py::list phases;
  for (const Phase& phase : model.phases) phases.append(py::make_tuple(phase.name, phase.mcs));
  return phases;
}

}  // namespace

ModelHandle::ModelHandle(Node given, std::string source, std::string folder, std::vector<Override> changes,
                         std::string text, std::string file)
    : given_(std::move(given)),
      source_(std::move(source)),
      folder_(std::move(folder)),
      text_(std::move(text)),
      file_(std::move(file)) {
  change(changes);
}

std::string ModelHandle::given_text() const {
  return text_.empty() ? "# Given as a dict in Python.\n" + model_->resolved : text_;
}

void ModelHandle::set_length(int64_t mcs) {
  if (mcs < 0) throw UserError(fmt::format("mcs is {}, but must be at least 0.", mcs));
  change(length_overrides(*model_, mcs));
}

void ModelHandle::change(const std::vector<Override>& changes) {
  std::vector<Override> all = changes_;
  for (const Override& one : changes) add_latest(all, one);
  model_ = std::make_shared<const Model>(make_model(given_, source_, folder_, all));
  changes_ = std::move(all);
  complete_.reset();
}

py::object ModelHandle::value(const std::string& dotted) const {
  if (!complete_) complete_ = std::make_shared<const Node>(parse_document(model_->resolved, source_));
  const Node* node = complete_.get();
  for (const std::string& part : split_key(dotted)) {
    const Node::Array* items = node->array();
    if (items == nullptr) {
      node = find(*node, part);
    } else {
      const std::size_t index = part.find_first_not_of("0123456789") == std::string::npos && part.size() < 10
                                    ? std::stoul("0" + part)
                                    : items->size();
      node = index < items->size() ? &(*items)[index] : nullptr;
    }
    if (node == nullptr)
      throw py::key_error(fmt::format("the model has no {}; model.toml shows all that it has.", dotted));
  }
  return object_of(*node);
}

TypeId ModelHandle::type_named(const std::string& name) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 1; i < model_->types.size(); ++i) {
    if (model_->types[i].name == name) return TypeId(i);
    names.push_back(model_->types[i].name);
  }
  throw UserError(fmt::format("there is no type {}; the model has {}.", name, joined(names)));
}

py::tuple ModelHandle::state() const {
  py::list changes;
  for (const Override& change : changes_)
    changes.append(py::make_tuple(py::cast(change.path), object_of(change.value), change.value.place));
  return py::make_tuple(object_of(given_), source_, folder_, changes, text_, file_);
}

ModelHandle ModelHandle::restored(const py::tuple& state) {
  const auto source = py::cast<std::string>(state[1]);
  std::vector<Override> changes;
  for (const auto& item : py::cast<py::list>(state[3])) {
    const auto change = py::cast<py::tuple>(item);
    changes.push_back({py::cast<std::vector<std::string>>(change[0]),
                       node_of(change[1], py::cast<std::string>(change[2]))});
  }
  return {node_of(state[0], source),       source,
          py::cast<std::string>(state[2]), std::move(changes),
          py::cast<std::string>(state[4]), py::cast<std::string>(state[5])};
}

void bind_model(py::module_& module) {
  py::class_<ModelHandle>(module, "Model")
      .def_static("read", &read_file, py::arg("file"), py::arg("changes"))
      .def_static("from_text", &from_text, py::arg("text"), py::arg("source"), py::arg("folder"))
      .def_static("from_dict", &from_dict, py::arg("values"), py::arg("source"), py::arg("folder"))
      .def("copy", [](const ModelHandle& self) { return ModelHandle(self); })
      .def(py::pickle([](const ModelHandle& self) { return self.state(); }, &ModelHandle::restored))
      .def("change",
           [](ModelHandle& self, const py::dict& changes) { self.change(overrides_of(changes, "model")); })
      .def("set_length", &ModelHandle::set_length, py::arg("mcs"))
      .def("value", &ModelHandle::value, py::arg("key"))
      .def("explain", [](const ModelHandle& self) { return explain(self.model()); })
      .def("notes", [](const ModelHandle& self) { return model_notes(self.model()); })
      .def_property_readonly("toml", [](const ModelHandle& self) { return self.model().resolved; })
      .def_property_readonly("source", [](const ModelHandle& self) { return self.model().source; })
      .def_property_readonly("title", [](const ModelHandle& self) { return self.model().title; })
      .def_property_readonly("seed", [](const ModelHandle& self) { return self.model().seed; })
      .def_property_readonly("mcs", [](const ModelHandle& self) { return self.model().total_mcs(); })
      .def_property_readonly("size", [](const ModelHandle& self) { return size_of(self.model()); })
      .def_property_readonly("sites", [](const ModelHandle& self) { return self.model().lattice.sites(); })
      .def_property_readonly("types", [](const ModelHandle& self) { return type_names(self.model()); })
      .def_property_readonly("track_columns",
                             [](const ModelHandle& self) { return names_of_tracks(self.model()); })
      .def_property_readonly("phases", [](const ModelHandle& self) { return phases_of(self.model()); })
      .def_property_readonly("voxel_um", [](const ModelHandle& self) { return self.model().units.voxel_um; })
      .def_property_readonly("seconds_per_mcs",
                             [](const ModelHandle& self) { return self.model().units.seconds_per_mcs; });
}

}  // namespace kiln::python
