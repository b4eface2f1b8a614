#include "values.hpp"

#include "base/error.hpp"

namespace kiln::python {
namespace {

Node::Table table_of(const py::dict& dict, const std::string& place) {
  Node::Table table;
  for (const auto& [key, value] : dict) table.push_back({py::cast<std::string>(key), node_of(value, place)});
  return table;
}

Node::Array array_of(const py::sequence& items, const std::string& place) {
  Node::Array array;
  for (const auto& item : items) array.push_back(node_of(item, place));
  return array;
}

int64_t whole_of(const py::handle& value, const std::string& place) {
  int overflow = 0;
  const long long whole = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow != 0)
    throw UserError(place + ": an integer must lie between -9223372036854775808 and 9223372036854775807.");
  return whole;
}

// Arrays and numbers of NumPy know how to become Python's.
bool is_of_numpy(const py::handle& value) {
  return py::hasattr(value, "dtype") && py::hasattr(value, "tolist");
}

}  // namespace

Node node_of(const py::handle& value, const std::string& place) {
  if (is_of_numpy(value)) return node_of(value.attr("tolist")(), place);
  if (py::isinstance<py::bool_>(value)) return {py::cast<bool>(value), place};
  if (py::isinstance<py::int_>(value)) return {whole_of(value, place), place};
  if (py::isinstance<py::float_>(value)) return {py::cast<double>(value), place};
  if (py::isinstance<py::str>(value)) return {py::cast<std::string>(value), place};
  if (py::isinstance<py::dict>(value)) return {table_of(py::cast<py::dict>(value), place), place};
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return {array_of(py::cast<py::sequence>(value), place), place};
  throw py::type_error(place + ": a model holds numbers, texts, flags, lists and dicts, but this is a " +
                       py::cast<std::string>(py::type::of(value).attr("__name__")) + ".");
}

py::object object_of(const Node& node) {
  struct Converter {
    py::object operator()(const Node::Table& table) const {
      py::dict result;
      for (const Entry& e : table) result[py::str(e.key)] = object_of(e.node);
      return result;
    }
    py::object operator()(const Node::Array& array) const {
      py::list result;
      for (const Node& item : array) result.append(object_of(item));
      return result;
    }
    py::object operator()(bool value) const { return py::bool_(value); }
    py::object operator()(int64_t value) const { return py::int_(value); }
    py::object operator()(double value) const { return py::float_(value); }
    py::object operator()(const std::string& value) const { return py::str(value); }
    py::object operator()(const Node::Date& value) const { return py::str(value.text); }
  };
  return std::visit(Converter{}, node.value);
}

std::vector<Override> overrides_of(const py::dict& changes, const std::string& what) {
  std::vector<Override> result;
  for (const auto& [key, value] : changes) {
    const std::string dotted = py::cast<std::string>(key);
    const std::string place = what + "[\"" + dotted + "\"] = " + py::cast<std::string>(py::repr(value));
    Override change{split_key(dotted), node_of(value, place)};
    for (const std::string& part : change.path)
      if (part.empty())
        throw py::key_error(dotted + " is no key of a model; write it as \"types.cell.volume.target\".");
    result.push_back(std::move(change));
  }
  return result;
}

}  // namespace kiln::python
