// Functions of the formula language, as what they add to a tree.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formula/tree.hpp"

namespace kiln::formula {

struct Function {
  const char* name;
  int arguments;
  bool any_more = false;  // it takes more of them as well
  std::function<int32_t(Tree&, const std::vector<int32_t>&)> build;
};

// All but if, uniform and normal, which the parser knows itself.
const std::vector<Function>& functions();
// Names of all functions, units and queries left out.
std::vector<std::string> function_names();

}  // namespace kiln::formula
