#include "model/file/own_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln {

const Term* term_of_lambda(std::string_view name) {
  for (const Term& term : all_terms())
    if (term.own_lambda != nullptr && name == fmt::format("{}.lambda", term.name)) return &term;
  return nullptr;
}

std::vector<std::string> numbers_of_cells() {
  std::vector<std::string> names{kTargetVolume, kTargetPerimeter};
  for (const Term& term : all_terms())
    if (term.own_lambda != nullptr) names.push_back(fmt::format("{}.lambda", term.name));
  return names;
}

bool has_term(const Node& given, const std::string& type, const char* term) {
  const Node* const types = find(given, kTypeSection.name);
  const Node* const table = types == nullptr ? nullptr : find(*types, type);
  return table != nullptr && find(*table, term) != nullptr;
}

std::vector<std::pair<std::string, const Node*>> flat_entries(const Node& table) {
  std::vector<std::pair<std::string, const Node*>> entries;
  for (const Entry& e : *table.table())
    if (e.node.table() == nullptr)
      entries.emplace_back(e.key, &e.node);
    else
      for (const auto& [name, node] : flat_entries(e.node)) entries.emplace_back(e.key + "." + name, node);
  return entries;
}

namespace {

// Whether an entry of a table of formulas sets the volume; nothing has been checked yet.
bool sets_volume(const Node* table) {
  if (table == nullptr || table->table() == nullptr) return false;
  if (find(*table, kTargetVolume) != nullptr) return true;
  const Node* volume = find(*table, "volume");
  return volume != nullptr && find(*volume, "target") != nullptr;
}
bool gives_own_targets(const Node& rule) {
  if (sets_volume(find(rule, "set"))) return true;
  const Node* deed = find(rule, "do");
  const auto* text = deed == nullptr ? nullptr : std::get_if<std::string>(&deed->value);
  if (text == nullptr) return false;
  if (*text != "die") return *text == "divide";
  const Node* how = find(rule, "how");
  return how == nullptr || inline_toml(*how) == "\"shrink\"";
}

// Names of types, as one or a list; nothing has been checked yet.
std::vector<std::string> names_in(const Node* types) {
  std::vector<std::string> names;
  const auto add = [&](const Node& name) {
    if (const auto* text = std::get_if<std::string>(&name.value)) names.push_back(*text);
  };
  if (types == nullptr) return names;
  if (types->array() == nullptr)
    add(*types);
  else
    for (const Node& name : *types->array()) add(name);
  return names;
}

// What rules say of types whose cells have numbers of their own.
class OwnNumbers {
 public:
  explicit OwnNumbers(Reading& r) : r_(r) {
    r.scope.own_targets.assign(r.scope.types.size(), false);
    r.scope.own_lambdas.assign(r.scope.types.size(), {});
  }

  void growth() {
    for (std::size_t i = 1; i < r_.scope.types.size(); ++i)
      if (find(*find(*find(r_.given, kTypeSection.name), r_.scope.types[i]), kGrowthSection.name) != nullptr)
        r_.scope.own_targets[i] = true;
  }

  void rule(const Node& rule) {
    // Those that cells have before, and may have after: what a cell has it takes along.
    std::vector<std::string> types = names_in(find(rule, "types"));
    const auto add_new_type = [&](const Node& of) {
      if (of.table() == nullptr) return;
      for (const std::string& name : names_in(find(of, "type"))) types.push_back(name);
    };
    add_new_type(rule);
    const Node* const daughters = find(rule, "daughters");
    if (daughters != nullptr && daughters->table() != nullptr)
      for (const Entry& daughter : *daughters->table()) add_new_type(daughter.node);
    const bool targets = gives_own_targets(rule);
    for (const std::string& name : types) {
      const auto found = std::find(r_.scope.types.begin(), r_.scope.types.end(), name);
      if (found == r_.scope.types.end()) continue;
      const auto type = std::size_t(found - r_.scope.types.begin());
      if (targets) r_.scope.own_targets[type] = true;
      lambdas(find(rule, "set"), type);
      if (daughters == nullptr || daughters->table() == nullptr) continue;
      for (const Entry& daughter : *daughters->table()) lambdas(&daughter.node, type);
    }
  }

 private:
  void lambdas(const Node* sets, std::size_t type) {
    if (sets == nullptr || sets->table() == nullptr) return;
    for (const auto& [name, node] : flat_entries(*sets)) {
      const Term* const term = term_of_lambda(name);
      if (term != nullptr && has_term(r_.given, r_.scope.types[type], term->name))
        r_.scope.own_lambdas[type].insert(term->name);
    }
  }

  Reading& r_;
};

}  // namespace

void find_own_numbers(Reading& r) {
  OwnNumbers own(r);
  own.growth();
  for (const Node& rule : tables_of(r.given, kRuleSection.name)) own.rule(rule);
}

}  // namespace kiln
