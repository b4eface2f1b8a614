#include "model/file/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/model.hpp"

namespace kiln {
namespace {

// A node's entries by name: those of a table by key, those of a list by number.
std::vector<std::pair<std::string, const Node*>> entries_of(const Node& node) {
  std::vector<std::pair<std::string, const Node*>> entries;
  if (const Node::Table* table = node.table())
    for (const Entry& e : *table) entries.emplace_back(e.key, &e.node);
  if (const Node::Array* array = node.array())
    for (std::size_t i = 0; i < array->size(); ++i) entries.emplace_back(std::to_string(i), &(*array)[i]);
  return entries;
}

// A list of plain values is one value.
bool has_parts(const Node& node) {
  if (node.table() != nullptr) return true;
  const Node::Array* array = node.array();
  return array != nullptr &&
         std::any_of(array->begin(), array->end(), [](const Node& item) { return item.table() != nullptr; });
}

void compare(const Node* one, const Node* other, const std::string& key, std::vector<KeyDifference>& to) {
  if ((one == nullptr || has_parts(*one)) && (other == nullptr || has_parts(*other))) {
    const auto inner = [&](const std::string& name) { return key.empty() ? name : key + "." + name; };
    const auto find_in = [](const Node* node, const std::string& name) -> const Node* {
      if (node == nullptr) return nullptr;
      for (const auto& [found, entry] : entries_of(*node))
        if (found == name) return entry;
      return nullptr;
    };
    if (one != nullptr)
      for (const auto& [name, entry] : entries_of(*one))
        compare(entry, find_in(other, name), inner(name), to);
    if (other != nullptr)
      for (const auto& [name, entry] : entries_of(*other))
        if (find_in(one, name) == nullptr) compare(nullptr, entry, inner(name), to);
    return;
  }
  const std::string a = one == nullptr ? "" : inline_toml(*one),
                    b = other == nullptr ? "" : inline_toml(*other);
  if (a != b) to.push_back({key, a, b});
}

}  // namespace

std::vector<Override> length_overrides(const Model& model, int64_t mcs) {
  if (!model.has_phases) return {parse_override(fmt::format("mcs={}", mcs))};
  std::vector<Override> result;
  int64_t left = mcs;
  for (std::size_t i = 0; i < model.phases.size(); ++i) {
    const bool last = i + 1 == model.phases.size();
    const int64_t length = last ? left : std::min(left, model.phases[i].mcs);
    result.push_back(parse_override(fmt::format("phases.{}.mcs={}", i, length)));
    left -= length;
  }
  return result;
}

std::vector<KeyDifference> model_differences(const Node& one, const Node& other) {
  std::vector<KeyDifference> differences;
  compare(&one, &other, "", differences);
  return differences;
}

}  // namespace kiln
