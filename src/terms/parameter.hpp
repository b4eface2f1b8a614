// How a term declares the numbers it takes. The model reader, its error messages, `kiln validate` and the
// model file reference all work from these tables; nothing repeats them.
#pragma once

#include "core/types.hpp"

namespace kiln {

enum class Kind {
  real,
  whole,      // an integer
  flag,       // true or false
  field,      // the name of a vector field, kept as its index; -1 where none is given
  substance,  // the same of a substance
  choice,     // one of `choices`, kept as its number
  target,     // a number, or "start": every cell has its own, what it measures in the first state
};

struct Parameter {
  const char* name;
  Kind kind;
  double least, most;  // both allowed
  double fallback;     // what a model gets that does not mention it; ignored where `required`
  bool required;       // must be given once the term is used
  const char* unit;
  const char* meaning;
  bool fixed = false;        // the state remembers it, so it is the same in all phases
  const char* choices = "";  // separated by "|"; the first is what a model gets that mentions none
};

// A parameter that is an index or a choice. A GPU's compiler folds the comparison of constants, but not their
// conversion to an integer.
KILN_HD constexpr int as_index(float parameter) {
  for (int small = 0; small < 4; ++small)
    if (parameter == float(small)) return small;
  return int(parameter);
}

// In place of a target: look into Cells::targets.
inline constexpr float kOwnTarget = -1;

inline constexpr double kAnyEnergy = 1e9;

// In place of a lambda: look into Cells::own_lambdas. No term's lambda may be so small.
inline constexpr float kOwnLambda = -2e9f;

}  // namespace kiln
