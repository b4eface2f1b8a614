#include "model/file/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "base/error.hpp"
#include "model/file/tomlpp.hpp"

namespace kiln {
namespace {

std::string place_of(const std::string& source, const toml::source_region& region) {
  return region.begin ? fmt::format("{}:{}", source, region.begin.line) : source;
}

Node converted(const toml::node& from, const std::string& source);

Node converted_table(const toml::table& from, const std::string& source) {
  struct Placed {
    std::tuple<uint32_t, uint32_t> position;
    Entry entry;
  };
  std::vector<Placed> placed;
  for (const auto& [key, child] : from)
    placed.push_back({{key.source().begin.line, key.source().begin.column},
                      {std::string(key.str()), converted(child, source)}});
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.position < b.position; });
  Node::Table table;
  for (Placed& p : placed) table.push_back(std::move(p.entry));
  return {std::move(table), place_of(source, from.source())};
}

Node converted(const toml::node& from, const std::string& source) {
  if (const toml::table* table = from.as_table()) return converted_table(*table, source);
  Node result{{}, place_of(source, from.source())};
  if (const toml::array* array = from.as_array()) {
    Node::Array items;
    for (const toml::node& item : *array) items.push_back(converted(item, source));
    result.value = std::move(items);
  } else if (const auto* whole = from.as_integer()) {
    result.value = whole->get();
  } else if (const auto* real = from.as_floating_point()) {
    result.value = real->get();
  } else if (const auto* flag = from.as_boolean()) {
    result.value = flag->get();
  } else if (const auto* text = from.as_string()) {
    result.value = text->get();
  } else {
    std::ostringstream date;
    from.visit([&date](const auto& value) {
      if constexpr (toml::is_chronological<decltype(value)>) date << value.get();
    });
    result.value = Node::Date{date.str()};
  }
  return result;
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string quoted_toml(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (uint8_t(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\u{:04X}", int(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string key_toml(std::string_view key) { return is_bare_key(key) ? std::string(key) : quoted_toml(key); }

struct InlineWriter {
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(int64_t whole) const { return fmt::format("{}", whole); }
  // Without the sign of -0.0, which would be read again as the integer -0.
  std::string operator()(double real) const { return fmt::format("{}", real == 0 ? 0.0 : real); }
  std::string operator()(const std::string& text) const { return quoted_toml(text); }
  std::string operator()(const Node::Date& date) const { return date.text; }
  std::string operator()(const Node::Array& array) const {
    std::string result;
    for (const Node& item : array) result += (result.empty() ? "" : ", ") + inline_toml(item);
    return "[" + result + "]";
  }
  std::string operator()(const Node::Table& table) const {
    std::string result;
    for (const Entry& e : table)
      result += fmt::format("{}{} = {}", result.empty() ? "" : ", ", key_toml(e.key), inline_toml(e.node));
    return result.empty() ? "{}" : "{ " + result + " }";
  }
};

void write_entries(std::string& out, const Node::Table& table, bool dotted, const std::string& prefix = "") {
  for (const Entry& e : table) {
    if (dotted && e.node.table() != nullptr)
      write_entries(out, *e.node.table(), true, prefix + key_toml(e.key) + ".");
    else
      out += fmt::format("{}{} = {}\n", prefix, key_toml(e.key), inline_toml(e.node));
  }
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_list_of_tables(const Node& node) {
  return node.array() != nullptr && !node.array()->empty() && node.array()->front().table() != nullptr;
}

}  // namespace

const Node* find(const Node& table, std::string_view key) {
  if (table.table() == nullptr) return nullptr;
  for (const Entry& e : *table.table())
    if (e.key == key) return &e.node;
  return nullptr;
}

Node* find(Node& table, std::string_view key) {
  return const_cast<Node*>(find(static_cast<const Node&>(table), key));
}

Node& put(Node& table, std::string_view key, Node node) {
  if (Node* present = find(table, key)) {
    *present = std::move(node);
    return *present;
  }
  table.table()->push_back({std::string(key), std::move(node)});
  return table.table()->back().node;
}

void erase(Node& table, std::string_view key) {
  if (table.table() != nullptr) std::erase_if(*table.table(), [key](const Entry& e) { return e.key == key; });
}

Node parse_document(std::string_view text, const std::string& source) {
  try {
    return converted(toml::parse(text), source);
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}: this is not valid TOML: {}.", place_of(source, error.source()),
                                error.description()));
  }
}

Node parse_value(std::string_view text, const std::string& place) {
  Node result{std::string(text), place};
  try {
    const toml::table table = toml::parse(fmt::format("value = {}", text));
    if (table.size() == 1) result = converted(table.begin()->second, place);
  } catch (const toml::parse_error&) {
    return result;
  }
  const auto rename = [&place](const auto& self, Node& node) -> void {
    node.place = place;
    if (node.table() != nullptr)
      for (Entry& e : *node.table()) self(self, e.node);
    if (node.array() != nullptr)
      for (Node& item : *node.array()) self(self, item);
  };
  rename(rename, result);
  return result;
}

std::string inline_toml(const Node& node) { return std::visit(InlineWriter{}, node.value); }

std::string document_toml(const Node& root, const DocumentLayout& layout) {
  std::string out;
  for (const Entry& e : *root.table())
    if (e.node.table() == nullptr && !is_list_of_tables(e.node))
      out += fmt::format("{} = {}\n", key_toml(e.key), inline_toml(e.node));
  for (const Entry& section : *root.table()) {
    const std::string name = key_toml(section.key);
    if (is_list_of_tables(section.node)) {
      for (const Node& item : *section.node.array()) {
        out += fmt::format("\n[[{}]]\n", name);
        write_entries(out, *item.table(), false);
      }
    } else if (section.node.table() != nullptr && contains(layout.nested, section.key)) {
      for (const Entry& child : *section.node.table()) {
        out += fmt::format("\n[{}.{}]\n", name, key_toml(child.key));
        write_entries(out, *child.node.table(), false);
      }
    } else if (section.node.table() != nullptr) {
      out += fmt::format("\n[{}]\n", name);
      write_entries(out, *section.node.table(), contains(layout.dotted, section.key));
    }
  }
  return out;
}

void fail_at(const Node& node, const std::string& sentence) {
  // Names may hold anything in quotes, even what would end a text or command a terminal.
  std::string shown;
  for (const char c : sentence)
    shown += uint8_t(c) < 0x20 || c == 0x7F ? fmt::format("\\u{:04x}", uint8_t(c)) : std::string(1, c);
  throw UserError(fmt::format("{}: {}", node.place, shown));
}

}  // namespace kiln
