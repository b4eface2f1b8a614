#include "engine/living/programs.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kiln {
namespace {

std::vector<formula::Input> asked(const std::vector<const formula::Program*>& programs,
                                  const std::vector<formula::Input>& others) {
  std::vector<formula::Input> inputs = others;
  for (const formula::Program* const program : programs)
    inputs.insert(inputs.end(), program->inputs().begin(), program->inputs().end());
  std::erase_if(inputs, [](const formula::Input& input) { return input.of.empty(); });
  std::sort(inputs.begin(), inputs.end());
  inputs.erase(std::unique(inputs.begin(), inputs.end()), inputs.end());
  return inputs;
}

bool ask_for_places(const std::vector<formula::Input>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(), [](const formula::Input& input) {
    return input.of.empty() && input.draw < 0 &&
           (input.name == "x" || input.name == "y" || input.name == "z");
  });
}

}  // namespace

int rank_of(Rule::Deed deed) {
  switch (deed) {
    case Rule::Deed::die:
      return 0;
    case Rule::Deed::divide:
      return 1;
    default:
      return 2;
  }
}

LivingPrograms::LivingPrograms(const Model& model) : types(model.types.size()) {
  if (model.living == nullptr) return;
  const Living& living = *model.living;
  for (std::size_t type = 1; type < types.size(); ++type) {
    OfType& of_type = types[type];
    std::vector<int32_t> results;
    for (std::size_t number = 0; number < living.rules.size(); ++number) {
      const Rule& rule = living.rules[number];
      if (!rule.types[type]) continue;
      RuleAt at{int(number), &rule, results.size(), results.size(), results.size() + 1, rule.sets.size()};
      results.push_back(rule.holds);
      if (rule.rate != kNoFormula) {
        at.rate = results.size();
        results.push_back(rule.rate);
        ++at.sets;
      }
      for (const Setting& setting : rule.sets) results.push_back(setting.value);
      for (const Rule::Daughter& daughter : rule.daughters) {
        at.count += daughter.sets.size();
        for (const Setting& setting : daughter.sets) results.push_back(setting.value);
      }
      most_set = std::max(most_set, at.count);
      of_type.at.push_back(at);
    }
    of_type.rules = formula::Program(living.tree, results);
    if (living.types[type].growth != kNoFormula)
      of_type.growth = formula::Program(living.tree, {living.types[type].growth});
  }
  for (std::size_t s = 0; s < model.substances.size(); ++s)
    for (std::size_t type = 1; type < types.size(); ++type) {
      const SubstanceUse& use = model.substances[s].uses[type];
      if (use.secretes_formula < 0) continue;
      secretions.push_back({s, TypeId(type), use.per, formula::Program(living.tree, {use.secretes_formula})});
    }
  std::vector<const formula::Program*> of_rules, always;
  std::vector<formula::Input> of_equations;
  for (std::size_t type = 1; type < types.size(); ++type) {
    of_rules.push_back(&types[type].rules);
    always.push_back(&types[type].growth);
    if (const auto& equations = living.types[type].equations)
      of_equations.insert(of_equations.end(), equations->given().begin(), equations->given().end());
  }
  for (const Secretion& secretion : secretions) always.push_back(&secretion.rate);
  read_places = ask_for_places(of_equations);
  for (const std::vector<const formula::Program*>* programs : {&of_rules, &always})
    for (const formula::Program* const program : *programs)
      read_places = read_places || ask_for_places(program->inputs());
  asked_by_rules = asked(of_rules, {});
  asked_always = asked(always, of_equations);
}

std::string failure_text(CellId cell, int64_t mcs, const std::string& what, const formula::Program& program,
                         const std::vector<double>& inputs) {
  return fmt::format("cell {}, MCS {}: {}, where {}.", cell, mcs, what, text_of_inputs(program, inputs));
}

std::string too_many_cells() {
  return fmt::format("there would be more than {} cells, those that have ended among them.", kNowhere);
}

std::string equation_failure_text(CellId cell, const std::string& type, int64_t mcs,
                                  const std::string& property, double value, double before) {
  return fmt::format("cell {} ({}), MCS {}: by its equation, {} is {}; it was {:g}.", cell, type, mcs,
                     property, value, before);
}

}  // namespace kiln
