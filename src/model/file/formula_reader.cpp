#include "model/file/formula_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formula/functions.hpp"

namespace kiln {
namespace {

bool is_name(const std::string& name) {
  return is_plain_name(name) && name.find('-') == std::string::npos && !(name[0] >= '0' && name[0] <= '9');
}

}  // namespace

std::string text_of(const Node& formula) {
  if (const auto* text = std::get_if<std::string>(&formula.value)) return *text;
  return inline_toml(formula);
}

FormulaReader::FormulaReader(Reading& reading, Living& living) : r_(reading), living_(living) {
  read_constants();
}

void FormulaReader::read_constants() {
  const Node* given = find(r_.given, kConstantSection.name);
  if (given == nullptr) return;
  Node section = table_of(r_.given, kConstantSection.name);
  for (Entry& e : *section.table()) {
    const std::string path = joined_path("constants", e.key);
    check_free(e.node, path, e.key);
    check_value(e.node, kConstantSection.keys.front(), path, r_.scope);
    constants_[e.key] = e.node.real();
  }
  put(r_.complete, kConstantSection.name, section);
}

void FormulaReader::check_free(const Node& at, const std::string& path, const std::string& name) const {
  std::vector<std::string> taken = values_of_cells();
  for (const std::string& function : formula::function_names()) taken.push_back(function);
  for (const auto& [unit, size] : units()) taken.push_back(unit);
  for (const char* word :
       {kAskContact, kAskNeighbours, kAskNeighboursMean, kAskMean, kAskGradient[0], kAskGradient[1],
        kAskGradient[2], "and", "or", "not", "if", "true", "false", "uniform", "normal", "steps"})
    taken.push_back(word);
  for (const auto& [constant, value] : constants_) taken.push_back(constant);
  if (!is_name(name))
    fail_at(at, fmt::format("{} is no good name; take letters, digits and _, a letter first.", path));
  if (std::find(taken.begin(), taken.end(), name) != taken.end())
    fail_at(at, fmt::format("{} is no good name: formulas know {} as something else.", path, name));
}

std::map<std::string, double> FormulaReader::units() const {
  return {{"s", 1}, {"min", 60}, {"h", kSecondsPerHour}, {"um", 1 / r_.model.units.voxel_um}};
}

int FormulaReader::number_of_property(const std::string& name) const {
  const auto& all = living_.properties;
  const auto found = std::find_if(all.begin(), all.end(), [&](const Property& p) { return p.name == name; });
  return found == all.end() ? -1 : int(found - all.begin());
}

bool FormulaReader::has_property(std::size_t type, std::size_t property) const {
  const Node& types = *find(r_.complete, kTypeSection.name);
  const Node* table = find((*types.table())[type].node, kPropertySection.name);
  return table != nullptr && find(*table, living_.properties[property].name) != nullptr;
}

formula::Scope FormulaReader::scope_of_numbers(std::vector<std::string> values) const {
  formula::Scope scope;
  scope.values = std::move(values);
  scope.constants = constants_;
  scope.units = units();
  scope.draws = false;
  return scope;
}

formula::Scope FormulaReader::scope_of(const std::vector<bool>& types, bool draws) const {
  formula::Scope scope = scope_of_numbers(values_of_cells());
  scope.draws = draws;
  for (std::size_t p = 0; p < living_.properties.size(); ++p) {
    bool all = true;
    for (std::size_t type = 0; type < types.size(); ++type)
      all = all && (!types[type] || has_property(type, p));
    if (all) scope.values.push_back(living_.properties[p].name);
  }
  std::vector<std::string> properties;
  for (const Property& property : living_.properties) properties.push_back(property.name);
  scope.queries = {{kAskContact, "a type", r_.scope.types},
                   {kAskNeighbours, "a type", {r_.scope.types.begin() + 1, r_.scope.types.end()}},
                   {kAskNeighboursMean, "a property", properties},
                   {kAskMean, "a substance", r_.scope.substances}};
  for (int axis = 0; axis < r_.scope.dimension; ++axis)
    scope.queries.push_back({kAskGradient[axis], "a substance", r_.scope.substances});
  return scope;
}

formula::Scope FormulaReader::scope_of(std::size_t type, bool draws) const {
  std::vector<bool> types(r_.model.types.size(), false);
  types[type] = true;
  return scope_of(types, draws);
}

int32_t FormulaReader::parse(const Node& node, const std::string& path, const formula::Scope& scope,
                             formula::Kind kind, formula::Tree& tree) const {
  try {
    return formula::parse(text_of(node), scope, kind, tree);
  } catch (const formula::FormulaError& error) {
    fail_at(node, fmt::format("{} is {}, but {}", path, inline_toml(node), error.what()));
  }
}

}  // namespace kiln
