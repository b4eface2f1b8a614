#include "formula/functions.hpp"

namespace kiln::formula {
namespace {

int32_t hill(Tree& tree, int32_t x, int32_t half, int32_t n, bool falls) {
  const int32_t zero = tree.number(0), one = tree.number(1);
  const int32_t ratio = tree.apply(Op::divide, tree.apply(Op::max, x, zero), half);
  // x^n / (half^n + x^n), from the smaller one of the two ratios: powers do not overflow then.
  const int32_t small = tree.apply(Op::less_equal, ratio, one);
  const int32_t least = tree.apply(Op::choose, small, ratio, tree.apply(Op::divide, one, ratio));
  const int32_t power = tree.apply(Op::power, least, n), sum = tree.apply(Op::add, one, power);
  const int32_t part =
      falls ? tree.apply(Op::choose, small, one, power) : tree.apply(Op::choose, small, power, one);
  return tree.apply(Op::divide, part, sum);
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
