#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "base/error.hpp"
#include "data/npy/npy.hpp"
#include "model/file/reading.hpp"

namespace kiln {
namespace {

Array read_array(const Node& file, const std::string& path, const Model& model) {
  try {
    return read_npy(absolute_file(model, file.text()));
  } catch (const UserError& error) {
    const std::string why = error.what();
    fail_at(file, fmt::format("{} cannot be used: {}{}", path, why, why.ends_with('.') ? "" : "."));
  }
}

std::shared_ptr<const std::vector<float>> stored_values(const Node& file, const std::string& path,
                                                        const Model& model) {
  const Array array = read_array(file, path, model);
  const Lattice& l = model.lattice;
  std::vector<int64_t> wanted{l.size.y, l.size.x, l.dimension};
  if (l.dimension == 3) wanted.insert(wanted.begin(), l.size.z);
  if (array.shape != wanted || array.kind() != Array::Kind::real)
    fail_at(file, fmt::format("{} is \"{}\", which holds {} of shape {}, but must hold floats of shape {}.",
                              path, file.text(), array.kind() == Array::Kind::real ? "floats" : "integers",
                              shape_text(array.shape), shape_text(wanted)));
  auto values = std::make_shared<std::vector<float>>(array.size());
  for (std::size_t i = 0; i < values->size(); ++i) {
    (*values)[i] = float(array.real(i));
    if (!std::isfinite((*values)[i]))
      fail_at(file,
              fmt::format("{} is \"{}\", which holds {} at flat index {}, but must hold finite numbers.",
                          path, file.text(), array.real(i), i));
  }
  return values;
}

Vec3d nonzero(const Node& list, const std::string& path) {
  const Vec3d v = place_of(list);
  if (v == Vec3d{}) fail_at(list, fmt::format("{} is {}, but must not be zero.", path, inline_toml(list)));
  return v;
}

void add_worked_out(Node& node, const Lattice& lattice) {
  const std::string shape = find(node, "shape")->text();
  const bool has_centre = shape == "radial" || shape == "circular";
  if (has_centre && find(node, "centre") == nullptr)
    put(node, "centre", list_of(centre_of(lattice), lattice.dimension, node.place));
  if (shape == "circular" && find(node, "axis") == nullptr && lattice.dimension == 3)
    put(node, "axis", list_of({0, 0, 1}, 3, node.place));
}

uint64_t new_values_id() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

FieldData make_field(const std::string& name, const Node& node, const std::string& path, const Model& model) {
  FieldData result;
  result.name = name;
  VectorField& field = result.field;
  field.components = model.lattice.dimension;
  field.strength = float(find(node, "strength")->real());
  const std::string& shape = find(node, "shape")->text();
  if (const Node* centre = find(node, "centre")) field.centre = place_of(*centre);
  if (shape == "uniform") {
    field.shape = VectorField::Shape::uniform;
    field.axis = nonzero(*find(node, "direction"), path + ".direction");
  } else if (shape == "radial") {
    field.shape = VectorField::Shape::radial;
  } else if (shape == "circular") {
    field.shape = VectorField::Shape::circular;
    if (const Node* axis = find(node, "axis")) field.axis = nonzero(*axis, path + ".axis");
  } else {
    const Node& file = *find(node, "file");
    field.shape = VectorField::Shape::stored;
    result.file = file.text();
    result.values = stored_values(file, path + ".file", model);
    field.data = result.values->data();
    field.values_id = new_values_id();
  }
  return result;
}

}  // namespace

void read_fields(Reading& r) {
  if (r.scope.fields.empty()) return;
  Node section{Node::Table{}, r.given.place};
  for (const Entry& e : *find(r.given, kFieldSection.name)->table()) {
    const std::string path = joined_path(std::string(kFieldSection.name), e.key);
    require_table(e.node, path);
    if (const Node* axis = find(e.node, "axis"); axis != nullptr && r.scope.dimension == 2)
      fail_at(*axis,
              fmt::format("{}.axis has no meaning in 2-D, where a field turns around its centre.", path));
    Node node = complete_section(e.node, kFieldSection, path, r.scope);
    add_worked_out(node, r.model.lattice);
    r.model.fields.push_back(make_field(e.key, node, path, r.model));
    // Resolved models are kept elsewhere, and must still find their files.
    if (Node* file = find(node, "file")) file->value = absolute_file(r.model, file->text());
    put(section, e.key, std::move(node));
  }
  put(r.complete, kFieldSection.name, std::move(section));
}

}  // namespace kiln
