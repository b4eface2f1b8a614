// What a model's formulas ask and answer after every MCS, as programs: of the rules of each type, of growth,
// of secretion. Run in batches on a processor, or written out for a GPU.
#pragma once

#include <string>
#include <vector>

#include "formula/program.hpp"
#include "model/model.hpp"

namespace kiln {

// Where values of a rule are among the results of its type's program.
struct RuleAt {
  int number;  // of the rule in the model
  const Rule* rule;
  std::size_t holds, rate, sets;
  std::size_t count;  // of what is set: of the rule, then of both daughters

  bool has_rate() const { return rate != holds; }
};

// Which of two events of a cell happens: that of the lower rank, of equals the first.
int rank_of(Rule::Deed deed);

struct LivingPrograms {
  struct OfType {
    formula::Program rules, growth;
    std::vector<RuleAt> at;
  };
  // A rate of secretion that is a formula.
  struct Secretion {
    std::size_t substance;
    TypeId type;
    SubstanceUse::Per per;
    formula::Program rate;
  };

  // A model whose cells do not live has none.
  explicit LivingPrograms(const Model& model);

  std::vector<OfType> types;
  std::vector<Secretion> secretions;
  // What is counted for formulas, once each: for rules, and for all others, after every MCS.
  std::vector<formula::Input> asked_by_rules, asked_always;
  std::size_t most_set = 0;  // by one rule
  bool read_places = false;  // some ask for x, y or z
};

// "cell 7, MCS 30: what it secretes is inf, where volume 12, ..."
std::string failure_text(CellId cell, int64_t mcs, const std::string& what, const formula::Program& program,
                         const std::vector<double>& inputs);
std::string too_many_cells();
std::string equation_failure_text(CellId cell, const std::string& type, int64_t mcs,
                                  const std::string& property, double value, double before);

}  // namespace kiln
