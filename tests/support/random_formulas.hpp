// Random formulas, for comparing the ways to work one out.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "formula/tree.hpp"

namespace kiln::test {

// Some nodes over inputs v0, v1, ...; every operation occurs.
inline std::vector<int32_t> random_formulas(formula::Tree& tree, unsigned seed, int inputs, int operations) {
  using formula::Op;
  std::mt19937 rng(seed);
  std::vector<int32_t> numbers, conditions;
  for (int i = 0; i < inputs; ++i) numbers.push_back(tree.input({"v" + std::to_string(i), ""}));
  for (const double value : {0.5, -3.0, 2.0, 7.25}) numbers.push_back(tree.number(value));
  const auto any = [&](const std::vector<int32_t>& of) { return of[rng() % of.size()]; };
  conditions.push_back(tree.apply(Op::less, numbers[0], numbers[1]));
  for (int n = 0; n < operations; ++n) {
    const Op op = Op(2 + rng() % (unsigned(Op::kCount) - 2));
    const bool joins = op == Op::both || op == Op::either || op == Op::invert;
    const bool compares = op == Op::less || op == Op::less_equal || op == Op::equal;
    const std::vector<int32_t>& of = joins ? conditions : numbers;
    const int32_t first = op == Op::choose ? any(conditions) : any(of);
    const int32_t node = tree.apply(op, first, any(of), any(of));
    (joins || compares ? conditions : numbers).push_back(node);
  }
  std::vector<int32_t> results(numbers.end() - std::min<std::ptrdiff_t>(4, std::ssize(numbers)),
                               numbers.end());
  results.push_back(conditions.back());
  return results;
}

// Values of many sizes and both signs.
inline std::vector<std::vector<double>> random_inputs(unsigned seed, int inputs, int count) {
  std::mt19937 rng(seed + 77);
  std::uniform_real_distribution<double> mantissa(-2, 2), exponent(-6, 6);
  std::vector<std::vector<double>> values;
  values.resize(std::size_t(inputs), std::vector<double>(std::size_t(count), 0.0));
  for (auto& column : values)
    for (double& value : column)
      value = rng() % 16 == 0 ? double(int(rng() % 5)) - 2 : mantissa(rng) * std::exp2(exponent(rng));
  return values;
}

}  // namespace kiln::test
