#include "model/file/overrides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"
#include "model/file/schema/schema.hpp"

namespace kiln {
namespace {

std::string start_of(const Override& change, std::size_t parts) {
  return fmt::format("{}", fmt::join(change.path.begin(), change.path.begin() + std::ptrdiff_t(parts), "."));
}

// The part of a list or table that the next name of the path means; made where it is a new key of a table.
Node& step_into(Node& node, const Override& change, std::size_t depth) {
  const std::string& name = change.path[depth];
  if (Node::Array* items = node.array()) {
    std::size_t index = items->size();
    std::from_chars(name.data(), name.data() + name.size(), index);
    if (index >= items->size() || std::to_string(index) != name)
      fail_at(change.value,
              fmt::format("{} does not exist: {} has {} entr{}, counted from 0.", start_of(change, depth + 1),
                          start_of(change, depth), items->size(), items->size() == 1 ? "y" : "ies"));
    return (*items)[index];
  }
  if (node.table() == nullptr)
    fail_at(change.value, fmt::format("{} does not exist: {} is {}.", start_of(change, depth + 1),
                                      start_of(change, depth), inline_toml(node)));
  if (Node* present = find(node, name)) return *present;
  return put(node, name, {Node::Table{}, change.value.place});
}

void require_named(const Node& root, const Override& change, const Section& section, const char* what) {
  if (change.path[0] != section.name || change.path.size() < 2 || change.path[1] == "medium") return;
  const Node* table = find(root, section.name);
  if (table != nullptr && find(*table, change.path[1]) != nullptr) return;
  std::vector<std::string_view> names;
  if (table != nullptr && table->table() != nullptr)
    for (const Entry& e : *table->table()) names.push_back(e.key);
  fail_at(change.value, fmt::format("there is no {} {}; {}.", what, change.path[1],
                                    names.empty() ? fmt::format("the model has none")
                                                  : fmt::format("the model has {}", joined(names))));
}

// An entry of a list that the file does not have: it would become a table of that name.
void require_list(const Node& root, const Override& change) {
  if (change.path.size() < 2 || find(root, change.path[0]) != nullptr) return;
  for (const Section* section : all_sections())
    if (section->name == change.path[0] && section->heading.starts_with("[["))
      fail_at(change.value,
              fmt::format("{} does not exist: the file has no {}.", start_of(change, 2), section->heading));
}

// J(a, b) and J(b, a) are one value: the new one replaces both.
void forget_mirrored_pair(Node& root, const Override& change) {
  if (change.path.size() != 3 || change.path[0] != kAdhesionSection.name) return;
  Node* table = find(root, kAdhesionSection.name);
  Node* row = table == nullptr ? nullptr : find(*table, change.path[2]);
  if (row != nullptr) erase(*row, change.path[1]);
}

void flatten(const Node& table, const std::string& prefix, std::vector<Override>& result) {
  for (const Entry& e : *table.table()) {
    if (e.node.table() != nullptr)
      flatten(e.node, prefix + e.key + ".", result);
    else
      result.push_back({split_key(prefix + e.key), e.node});
  }
}

}  // namespace

std::vector<std::string> split_key(std::string_view dotted) {
  std::vector<std::string> parts(1);
  for (const char c : dotted) {
    if (c == '.')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string Override::dotted() const { return fmt::format("{}", fmt::join(path, ".")); }

Override parse_override(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string_view key = trimmed(std::string_view(text).substr(0, equals));
  Override result{split_key(key), {}};
  const bool has_gap =
      std::any_of(result.path.begin(), result.path.end(), [](const auto& p) { return p.empty(); });
  if (equals == std::string::npos || has_gap)
    throw UserError(fmt::format("--set {}: write it as key=value, such as --set temperature=10.", text));
  result.value = parse_value(trimmed(std::string_view(text).substr(equals + 1)), "--set " + text);
  return result;
}

std::vector<Override> flattened_overrides(const Node& table) {
  std::vector<Override> result;
  flatten(table, "", result);
  return result;
}

void apply_override(Node& root, const Override& change) {
  if (change.path[0] == kAdhesionSection.name && change.value.table() != nullptr) {
    // A table of pairs adds to the pairs that are there.
    for (const Entry& e : *change.value.table()) {
      Override part{change.path, e.node};
      part.path.push_back(e.key);
      apply_override(root, part);
    }
    return;
  }
  require_named(root, change, kTypeSection, "type");
  require_named(root, change, kFieldSection, "field");
  require_list(root, change);
  forget_mirrored_pair(root, change);
  Node* node = &root;
  for (std::size_t depth = 0; depth < change.path.size(); ++depth) node = &step_into(*node, change, depth);
  *node = change.value;
}

}  // namespace kiln
