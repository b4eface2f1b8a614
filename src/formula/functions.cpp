#include "formula/functions.hpp"

namespace kiln::formula {
namespace {

int32_t hill(Tree& tree, int32_t x, int32_t half, int32_t n, bool falls) {
  const int32_t one = tree.number(1), positive = tree.apply(Op::max, x, tree.number(0));
  // x^n / (half^n + x^n) as 1 / (1 + (half / x)^n): right where the power overflows, and x is 0, too.
  const int32_t ratio =
      falls ? tree.apply(Op::divide, positive, half) : tree.apply(Op::divide, half, positive);
  return tree.apply(Op::divide, one, tree.apply(Op::add, one, tree.apply(Op::power, ratio, n)));
}

}  // namespace

const std::vector<Function>& functions() {
  using Nodes = std::vector<int32_t>;
  const auto one = [](const char* name, Op op) {
    return Function{name, 1, false, [op](Tree& t, const Nodes& a) { return t.apply(op, a[0]); }};
  };
  const auto several = [](const char* name, Op op) {
    return Function{name, 2, true, [op](Tree& t, const Nodes& a) {
                      int32_t result = a[0];
                      for (std::size_t i = 1; i < a.size(); ++i) result = t.apply(op, result, a[i]);
                      return result;
                    }};
  };
  static const std::vector<Function> all = {
      several("min", Op::min),
      several("max", Op::max),
      one("abs", Op::abs),
      one("floor", Op::floor),
      one("sqrt", Op::sqrt),
      one("exp", Op::exp),
      one("log", Op::log),
      one("tanh", Op::tanh),
      one("sin", Op::sin),
      one("cos", Op::cos),
      {"pow", 2, false, [](Tree& t, const Nodes& a) { return t.apply(Op::power, a[0], a[1]); }},
      {"step", 1, false, [](Tree& t, const Nodes& a) { return t.apply(Op::less_equal, t.number(0), a[0]); }},
      {"hill", 3, false, [](Tree& t, const Nodes& a) { return hill(t, a[0], a[1], a[2], false); }},
      {"hill_down", 3, false, [](Tree& t, const Nodes& a) { return hill(t, a[0], a[1], a[2], true); }},
  };
  return all;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names{"if", "uniform", "normal"};
  for (const Function& function : functions()) names.emplace_back(function.name);
  return names;
}

}  // namespace kiln::formula
