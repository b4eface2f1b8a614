#include "formula/program.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "support/random_formulas.hpp"

namespace kiln::formula {
namespace {

constexpr int kInputs = 4, kCount = 300;  // no multiple of a batch

std::vector<std::vector<double>> results_of(const Program& program,
                                            const std::vector<std::vector<double>>& values) {
  std::vector<const double*> from;
  for (const Input& input : program.inputs()) from.push_back(values[std::size_t(input.name[1] - '0')].data());
  std::vector<std::vector<double>> results(program.results(), std::vector<double>(values[0].size()));
  std::vector<double*> to;
  for (auto& column : results) to.push_back(column.data());
  program.run(from, to, int64_t(values[0].size()));
  return results;
}

// One operation after the other, on one cell.
double plainly(const Tree& tree, int32_t node, const std::vector<std::vector<double>>& values,
               std::size_t cell) {
  const Node& n = tree.nodes()[std::size_t(node)];
  if (n.op == Op::number) return n.number;
  if (n.op == Op::input) return values[std::size_t(tree.inputs()[n.input].name[1] - '0')][cell];
  double of[3] = {0, 0, 0};
  for (int i = 0; i < arguments_of(n.op); ++i) of[i] = plainly(tree, n.of[i], values, cell);
  return applied(n.op, of[0], of[1], of[2]);
}

TEST(Program, GivesTheBitsOfTheTree) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    Tree tree;
    const std::vector<int32_t> roots = test::random_formulas(tree, seed, kInputs, 5 + int(seed % 25));
    const auto values = test::random_inputs(seed, kInputs, kCount);
    const auto results = results_of(Program(tree, roots), values);
    for (std::size_t r = 0; r < roots.size(); ++r)
      for (const std::size_t cell : {0, 1, 127, 128, 299}) {
        const double expected = plainly(tree, roots[r], values, cell), found = results[r][cell];
        if (expected == expected)
          ASSERT_EQ(std::bit_cast<uint64_t>(found), std::bit_cast<uint64_t>(expected)) << "formula " << seed;
        else
          ASSERT_FALSE(found == found) << "formula " << seed;
      }
  }
}

// A value in long double, and how far off one in double may be by rounding alone; `sure` is false where
// rounding may have decided a comparison.
struct Bounded {
  long double value = 0, error = 0;
  bool sure = true;
};

Bounded bounded(const Tree& tree, int32_t node, const std::vector<std::vector<double>>& values,
                std::size_t cell) {
  constexpr long double kUnit = 0x1p-53L;
  const Node& n = tree.nodes()[std::size_t(node)];
  if (n.op == Op::number) return {n.number, 0, true};
  if (n.op == Op::input) return {values[std::size_t(tree.inputs()[n.input].name[1] - '0')][cell], 0, true};
  Bounded of[3];
  bool sure = true;
  for (int i = 0; i < arguments_of(n.op); ++i) {
    of[i] = bounded(tree, n.of[i], values, cell);
    sure = sure && of[i].sure;
  }
  const auto& [a, da, a_sure] = of[0];
  const auto& [b, db, b_sure] = of[1];
  const auto close = [](const Bounded& p, const Bounded& q) {
    return std::fabs(p.value - q.value) <= p.error + q.error;
  };
  const auto with = [&](long double value, long double carried, long double units) {
    return Bounded{value, carried + units * kUnit * std::fabs(value) + 1e-300L, sure};
  };
  switch (n.op) {
    case Op::add:
      return with(a + b, da + db, 1);
    case Op::subtract:
      return with(a - b, da + db, 1);
    case Op::multiply:
      return with(a * b, std::fabs(a) * db + std::fabs(b) * da + da * db, 1);
    case Op::divide:
      sure = sure && std::fabs(b) > 2 * db;
      return with(a / b, (da + std::fabs(a / b) * db) / (std::fabs(b) - db), 1);
    case Op::negate:
      return {-a, da, sure};
    case Op::abs:
      return {std::fabs(a), da, sure};
    case Op::sqrt:
      sure = sure && a > 2 * da;
      return with(std::sqrt(a), da / std::sqrt(a), 1);
    case Op::exp:
      return with(std::exp(a), std::exp(a) * std::expm1(da), 4);
    case Op::log:
      sure = sure && a > 2 * da;
      return with(std::log(a), da / (a - da), 4);
    case Op::tanh:
      return with(std::tanh(a), da, 8);
    case Op::sin:
      return {std::sin(a), da + 4 * kUnit, sure && std::fabs(a) < 9e5L};
    case Op::cos:
      return {std::cos(a), da + 4 * kUnit, sure && std::fabs(a) < 9e5L};
    case Op::power: {
      const bool whole = db == 0 && std::fabs(b) <= 1024 && std::floor(b) == b;
      sure =
          sure && (whole ? std::fabs(a) > 2 * da : a > 2 * da && b == b && std::fabs(b) < 1e6L && db < 1e-6L);
      if (!sure) return {0, 0, false};
      const long double value = std::pow(a, b), logarithm = std::log(std::fabs(a));
      const long double relative = std::fabs(b) * da / (std::fabs(a) - da) + std::fabs(logarithm) * db;
      return with(value, std::fabs(value) * std::expm1(relative),
                  8 + 4 * std::fabs(b) * (1 + std::fabs(logarithm)));
    }
    case Op::floor:
      return {std::floor(a), 0, sure && a - std::floor(a) > da && std::ceil(a) - a > da};
    case Op::less:
      return {a < b ? 1.0L : 0.0L, 0, sure && !close(of[0], of[1])};
    case Op::less_equal:
      return {a <= b ? 1.0L : 0.0L, 0, sure && !close(of[0], of[1])};
    case Op::equal:
      return {a == b ? 1.0L : 0.0L, 0, sure && !close(of[0], of[1])};
    case Op::both:
      return {a * b, 0, sure};
    case Op::either:
      return {std::max(a, b), 0, sure};
    case Op::invert:
      return {1 - a, 0, sure};
    case Op::choose: {
      const Bounded& chosen = a != 0 ? of[1] : of[2];
      return {chosen.value, chosen.error, a_sure && chosen.sure};
    }
    case Op::min:
      return {std::min(a, b), std::max(da, db), sure};
    case Op::max:
      return {std::max(a, b), std::max(da, db), sure};
    default:
      return {};
  }
}

TEST(Program, IsAsExactAsDoublesAre) {
  int64_t compared = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    Tree tree;
    const std::vector<int32_t> roots = test::random_formulas(tree, seed, kInputs, 3 + int(seed % 9));
    const auto values = test::random_inputs(seed, kInputs, 20);
    const auto results = results_of(Program(tree, roots), values);
    for (std::size_t r = 0; r < roots.size(); ++r)
      for (std::size_t cell = 0; cell < 20; ++cell) {
        const Bounded exact = bounded(tree, roots[r], values, cell);
        if (!exact.sure || !(std::fabs(exact.value) < 1e200L) ||
            !(exact.error < 1e-9L * (1 + std::fabs(exact.value))))
          continue;
        compared += 1;
        ASSERT_LE(std::fabs(results[r][cell] - exact.value), exact.error)
            << "formula " << seed << ", cell " << cell;
      }
  }
  EXPECT_GT(compared, 100'000);
}

// Equations are advanced in place: y := z, z := -y.
TEST(Program, MayWriteOverItsInputs) {
  Tree tree;
  const int32_t y = tree.input({"y", ""}), z = tree.input({"z", ""});
  const Program program(tree, {z, tree.apply(Op::negate, y)});
  ASSERT_EQ(program.inputs().size(), 2u);
  std::vector<double> ys(200), zs(200);
  for (int i = 0; i < 200; ++i) ys[std::size_t(i)] = i, zs[std::size_t(i)] = 1000 + i;
  const double* const from[] = {ys.data(), zs.data()};
  double* const to[] = {ys.data(), zs.data()};
  program.run(from, to, 200);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(ys[std::size_t(i)], 1000 + i);
    EXPECT_EQ(zs[std::size_t(i)], -i);
  }
}

}  // namespace
}  // namespace kiln::formula
