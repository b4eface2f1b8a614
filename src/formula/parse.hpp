// The formula language: numbers, names, + - * / ^, comparisons, and, or, not, and functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "formula/tree.hpp"

namespace kiln::formula {

// Names that a formula may use.
struct Scope {
  // What can be asked of something that has a name: contact(tumour).
  struct Query {
    std::string name;
    std::string of;  // what it takes, with its article: "a type"
    std::vector<std::string> known;
  };

  std::vector<std::string> values;  // one for every cell
  std::vector<Query> queries;
  std::map<std::string, double> constants;
  std::map<std::string, double> units;  // h(8) is 8 times that
  bool draws = true;                    // uniform() and normal() may be used
};

enum class Kind { number, condition };

// What is wrong with a formula, as the rest of a sentence: "..., but <what()>".
struct FormulaError : UserError {
  using UserError::UserError;
};

// Adds a formula to a tree, which it may share with others, and gives its node. Throws FormulaError.
int32_t parse(std::string_view text, const Scope& scope, Kind wanted, Tree& tree);

}  // namespace kiln::formula
