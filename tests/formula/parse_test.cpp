#include "formula/parse.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "formula/program.hpp"

namespace kiln::formula {
namespace {

Scope scope_of_a_cell() {
  Scope scope;
  scope.values = {"volume", "target", "age", "notch", "x"};
  scope.queries = {{"mean", "a substance", {"o2", "cxcl12"}}, {"contact", "a type", {"tumour", "stroma"}}};
  scope.constants = {{"half", 0.5}, {"pi", 3.141592653589793}};
  scope.units = {{"s", 1}, {"min", 60}, {"h", 3600}, {"um", 2}};
  return scope;
}

double value_of(const std::string& text, Kind kind = Kind::number, double x = 3) {
  Tree tree;
  const int32_t root = parse(text, scope_of_a_cell(), kind, tree);
  const Program program(tree, {root});
  std::vector<const double*> inputs(program.inputs().size(), &x);
  double result = 0;
  double* results[] = {&result};
  program.run(inputs, results, 1);
  return result;
}

// With x = 3; every name of a value is x.
TEST(Formula, MeansWhatItSays) {
  const std::vector<std::pair<const char*, double>> table = {
      {"1 + 2 * 3", 7},
      {"(1 + 2) * 3", 9},
      {"2 * 3 + 1", 7},
      {"7 - 3 - 2", 2},
      {"12 / 3 / 2", 2},
      {"2 ^ 3 ^ 2", 512},
      {"-x ^ 2", -9},
      {"(-x) ^ 2", 9},
      {"2 ^ -1", 0.5},
      {"- - x", 3},
      {"+x", 3},
      {"1.5e1 + .5", 15.5},
      {"1e-3*1E+3", 1},
      {"x*x - x/x", 8},
      {"half * x", 1.5},
      {"h(2)", 7200},
      {"min(2) + s(1)", 121},
      {"max(1, x, 2)", 3},
      {"abs(-x)", 3},
      {"floor(-0.5)", -1},
      {"sqrt(16)", 4},
      {"exp(0) + log(1) + tanh(0) + sin(0) + cos(0)", 2},
      {"pow(x, 2)", 9},
      {"step(0) + step(-1) + step(2)", 2},
      {"hill(x, 3, 4)", 0.5},
      {"hill(0, 3, 4)", 0},
      {"hill(-5, 3, 4)", 0},
      {"hill(1e300, 3, 8)", 1},
      {"hill(1e-300, 3, 8)", 0},
      {"hill(0, 3, 2.5)", 0},
      {"if(abs(hill(1e-9, 1, 3) * 1e27 - 1) < 1e-15, 1, 0)", 1},
      {"hill_down(1e300, 3, 8)", 0},
      {"hill_down(0, 3, 2.5)", 1},
      {"if(abs(hill_down(1e9, 1, 3) * 1e27 - 1) < 1e-15, 1, 0)", 1},
      {"hill_down(-5, 3, 4)", 1},
      {"hill(1, 2, 1) + hill_down(1, 2, 1)", 1},
      {"hill(x, 2, 2.5) - 1 / (1 + (2 / x) ^ 2.5)", 0},
      {"if(x > 2, 10, 20)", 10},
      {"if(not x > 2, 10, 20)", 20},
      {"if(x > 2 and x < 4, 1, 0)", 1},
      {"if(x < 2 or x == 3, 1, 0)", 1},
      {"if(x != 3, 1, 0)", 0},
      {"if(x <= 3 and x >= 3, 1, 0)", 1},
      {"if(x > 5 or x > 2 and x > 2.5, 1, 0)", 1},
      {"if((x > 5 or x > 2) and x > 4, 1, 0)", 0},
      {"if(not x > 5 and x > 2, 1, 0)", 1},
      {"mean(o2) + contact(tumour)", 6},
      {" 1\n+\t2 ", 3},
  };
  for (const auto& [text, value] : table) EXPECT_EQ(value_of(text), value) << text;
  EXPECT_EQ(value_of("volume >= 3 and age < h(8)", Kind::condition), 1);
  EXPECT_EQ(value_of("volume > 3", Kind::condition), 0);
}

TEST(Formula, SaysWhatIsWrong) {
  const std::vector<std::pair<const char*, const char*>> table = {
      {"", "a formula is missing."},
      {"   ", "a formula is missing."},
      {"1 +", "there is nothing behind \"+\" at its end."},
      {"* 2", "there is nothing before \"*\" (character 1)."},
      {"1 + * 2", "there is nothing between \"+\" and \"*\" (character 5)."},
      {"1 / / 2", "there is nothing between \"/\" and \"/\" (character 5)."},
      {"and x > 1", "there is nothing before \"and\" (character 1)."},
      {"x > 1 and or x < 2", "there is nothing between \"and\" and \"or\" (character 11)."},
      {"(1 + 2", "\"(\" (character 1) is not closed."},
      {"min(1, 2", "\"(\" (character 4) is not closed."},
      {"1 + 2)", "\")\" (character 6) closes nothing."},
      {"()", "there is nothing between \"(\" and \")\" (character 2)."},
      {"1, 2", "\",\" (character 2) stands outside of a function's parentheses."},
      {"(1, 2)", "\",\" (character 3) stands outside of a function's parentheses."},
      {"max(1,)", "there is nothing between \",\" and \")\" (character 7)."},
      {"max(,1)", "there is nothing between \"(\" and \",\" (character 5)."},
      {"x x", "there is no sign between \"x\" and \"x\" (character 3)."},
      {"(x 2)", "there is no sign between \"x\" and \"2\" (character 4)."},
      {"2x", "\"2x\" (character 1) is no number; for a product write 2 * x."},
      {"3 + 2 volume", "there is no sign between \"2\" and \"volume\" (character 7)."},
      // Units without their parentheses.
      {"if(age > 8h, 1, 2)", "\"8h\" (character 10) is no number; write h(8)."},
      {"if(age > 8 h, 1, 2)", "\"8 h\" (character 10) is no number; write h(8)."},
      {"if(age > 8 h and x > 1, 1, 2)", "\"8 h\" (character 10) is no number; write h(8)."},
      {"age - 8 hours", "\"8 hours\" (character 7) is no number; write h(8)."},
      {"0.5hr", "\"0.5hr\" (character 1) is no number; write h(0.5)."},
      {"10 sec", "\"10 sec\" (character 1) is no number; write s(10)."},
      {"10 seconds + 1", "\"10 seconds\" (character 1) is no number; write s(10)."},
      {"30min", "\"30min\" (character 1) is no number; write min(30)."},
      {"30 min", "\"30 min\" (character 1) is no number; write min(30)."},
      {"(30 minutes)", "\"30 minutes\" (character 2) is no number; write min(30)."},
      {"30 min(x, 2)", "there is no sign between \"30\" and \"min\" (character 4)."},
      {"30min (x, 2)", "\"30min\" (character 1) is no number; for a product write 30 * min."},
      {"3 days", "\"3 days\" (character 1) is no number; write h(24 * 3)."},
      {"3d", "\"3d\" (character 1) is no number; write h(24 * 3)."},
      {"x - 5 um", "\"5 um\" (character 5) is no number; write um(5)."},
      {"x - 5 \u00B5m", "\"5 \u00B5m\" (character 5) is no number; write um(5)."},
      {"x - 5\u03BCm", "\"5\u03BCm\" (character 5) is no number; write um(5)."},
      {"\u00B5m(5)", "\"\u00B5m\" (character 1) is not used; write um."},
      {"days(3)", "the function \"days\" (character 1) is not known; write h(24 * 3)."},
      {"days(x + 1)", "the function \"days\" (character 1) is not known; write h(24 * (x + 1))."},
      {"hours(x + 1)", "the function \"hours\" (character 1) is not known; write h(x + 1)."},
      {"hours(8)", "the function \"hours\" (character 1) is not known; write h(8)."},
      {"8 * h", "h (character 5) is a unit: write h(8)."},
      {"8 * min", "min (character 5) is a unit: write min(8)."},
      {"8 * hours", "\"hours\" (character 5) is not known; write h(8)."},
      {"1 / h", "h (character 5) is a unit: write h(1)."},
      {"1 / day", "\"day\" (character 5) is not known; write h(24)."},
      {"1 / d", "\"d\" (character 5) is not known; did you mean x?"},
      {"1.2.3", "\"1.2.3\" (character 1) is no number."},
      {"1e", "\"1e\" (character 1) is no number."},
      {".", "\".\" (character 1) is no number."},
      {"1e999", "\"1e999\" (character 1) is no number."},
      {"0x10", "\"0x10\" (character 1) is no number."},
      {"volum", "\"volum\" (character 1) is not known; did you mean volume?"},
      {"1 + zzzzzzzz",
       "\"zzzzzzzz\" (character 5) is not known; there are volume, target, age, notch, x, half, pi."},
      {"Volume", "\"Volume\" (character 1) is not known; did you mean volume?"},
      {"volume.target", "\".target\" (character 7) is no number."},
      {"sqr(2)", "the function \"sqr\" (character 1) is not known; did you mean sqrt?"},
      {"min", "min (character 1) is a function: write min(...)."},
      {"contact + 1", "contact (character 1) is a function: write contact(...)."},
      {"volume(3)", "volume (character 1) is no function; for a product write volume * (...)."},
      {"pi(3)", "pi (character 1) is no function; for a product write pi * (...)."},
      {"sqrt()", "sqrt (character 1) takes 1 value, and here are 0."},
      {"sqrt(1, 2)", "sqrt (character 1) takes 1 value, and here are 2."},
      {"max(1)", "max (character 1) takes 2 or more values, and here are 1."},
      {"hill(x, 1)", "hill (character 1) takes 3 values, and here are 2."},
      {"if(x > 1, 2)", "if (character 1) takes 3 values, and here are 2."},
      {"h(1, 2)", "h (character 1) takes 1 value, and here are 2."},
      {"uniform(1)", "uniform (character 1) takes 2 values, and here are 1."},
      {"if(x, 1, 2)", "if takes conditions, and \"x\" is a number; compare it with another."},
      {"if(x > 1, x > 2, 3)", "if takes numbers, and \"x > 2\" is a condition."},
      {"(x > 1) + 2", "+ takes numbers, and \"(x > 1)\" is a condition."},
      {"2 * (x > 1)", "* takes numbers, and \"(x > 1)\" is a condition."},
      {"-(x > 1)", "- takes numbers, and \"(x > 1)\" is a condition."},
      {"sqrt(x > 1)", "sqrt takes numbers, and \"x > 1\" is a condition."},
      {"if(x and x > 1, 1, 2)", "and takes conditions, and \"x\" is a number; compare it with another."},
      {"if(x > 1 or 2, 1, 2)", "or takes conditions, and \"2\" is a number; compare it with another."},
      {"if(not x, 1, 2)", "not takes conditions, and \"x\" is a number; compare it with another."},
      {"if(1 < x < 3, 1, 2)", "\"1 < x < ...\" compares twice; join two comparisons with and."},
      {"(x > 1) == (x > 2)", "== takes numbers, and \"(x > 1)\" is a condition."},
      {"x > 1", "it is a condition, and a number is wanted."},
      {"x && 1", "\"&&\" (character 3) is not used; write and."},
      {"x || 1", "\"||\" (character 3) is not used; write or."},
      {"!x", "\"!\" (character 1) is not used; write not."},
      {"x = 1", "\"=\" (character 3) is not used; write ==."},
      {"x ** 2", "\"**\" (character 3) is not used; write ^."},
      {"x <> 2", "\"<>\" (character 3) is not used; write !=."},
      {"x % 2", "\"%\" (character 3) has no meaning in a formula."},
      {"x; 2", "\";\" (character 2) has no meaning in a formula."},
      {"2 µ", "\"µ\" (character 3) has no meaning in a formula."},
      {"\"x\"", "\"\"\" (character 1) has no meaning in a formula."},
      {"mean(glucose)",
       "mean takes the name of a substance, and \"glucose\" (character 6) is not known; there are o2, "
       "cxcl12."},
      {"mean(02)", "mean (character 1) takes the name of a substance."},
      {"mean()", "mean (character 1) takes the name of a substance."},
      {"mean(o2, o2)", "mean (character 1) takes the name of a substance and nothing else."},
      {"contact(tumor)",
       "contact takes the name of a type, and \"tumor\" (character 9) is not known; did you mean tumour?"},
      {"if(x > 1, 2 + 1 / (3 - 3), 4)", "\"1 / (3 - 3)\" is not finite."},
      {"1 / 0", "\"1 / 0\" is not finite."},
      {"log(-1)", "\"log(-1)\" is not finite."},
      {"exp(1000)", "\"exp(1000)\" is not finite."},
  };
  EXPECT_GE(table.size(), 50u);
  for (const auto& [text, message] : table) try {
      Tree tree;
      parse(text, scope_of_a_cell(), Kind::number, tree);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const FormulaError& error) {
      EXPECT_STREQ(error.what(), message) << text;
    }
  Tree tree;
  EXPECT_THROW(parse("volume", scope_of_a_cell(), Kind::condition, tree), FormulaError);
  // Where there are no units, such words are like any other.
  Scope no_units = scope_of_a_cell();
  no_units.units.clear();
  for (const auto& [text, message] : std::vector<std::pair<const char*, const char*>>{
           {"8h", "\"8h\" (character 1) is no number; for a product write 8 * h."},
           {"8 h", "there is no sign between \"8\" and \"h\" (character 3)."}})
    try {
      parse(text, no_units, Kind::number, tree);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const FormulaError& error) {
      EXPECT_STREQ(error.what(), message) << text;
    }
  Scope no_draws = scope_of_a_cell();
  no_draws.draws = false;
  EXPECT_THROW(parse("uniform(0, 1)", no_draws, Kind::number, tree), FormulaError);
}

TEST(Formula, HasItsLimits) {
  Tree tree;
  const auto nested = [](int depth) {
    return std::string(std::size_t(depth), '(') + "x" + std::string(std::size_t(depth), ')');
  };
  EXPECT_NO_THROW(parse(nested(150), scope_of_a_cell(), Kind::number, tree));
  EXPECT_THROW(parse(nested(9'000), scope_of_a_cell(), Kind::number, tree), FormulaError);
  EXPECT_THROW(parse(std::string(19'999, '-') + "x", scope_of_a_cell(), Kind::number, tree), FormulaError);
  EXPECT_THROW(parse(std::string(30'000, ' ') + "x", scope_of_a_cell(), Kind::number, tree), FormulaError);
  std::string longest = "x";
  while (longest.size() < 19'000) longest += " + x";
  EXPECT_EQ(value_of(longest, Kind::number, 1), 4751);
}

// What is constant is worked out once, and equal parts are one.
TEST(Formula, IsFolded) {
  Tree tree;
  const int32_t root = parse("2 * 3 + x * (1 + 1) + x * 2", scope_of_a_cell(), Kind::number, tree);
  int operations = 0;
  for (const Node& node : tree.nodes()) operations += arguments_of(node.op) > 0;
  EXPECT_EQ(operations, 3);  // x * 2, and two sums
  EXPECT_EQ(Program(tree, {root}).inputs().size(), 1u);
  EXPECT_EQ(tree.constant(parse("sqrt(16) ^ 2", scope_of_a_cell(), Kind::number, tree)), 16);
}

// Every call draws a number of its own.
// By what has an exact reciprocal: as a product, with the same bits.
TEST(Formula, DividesByPowersOfTwoByProducts) {
  std::mt19937_64 rng(5);
  for (const double by : {2.0, 0.5, -8.0, 0x1p-900, 3.0, 0x1p1023, 0x1p-1060}) {
    Tree tree;
    const int32_t x = tree.input({"x", "", -1}), ratio = tree.apply(Op::divide, x, tree.number(by));
    const bool is_product = tree.nodes()[std::size_t(ratio)].op == Op::multiply;
    EXPECT_EQ(is_product, by != 3.0 && std::abs(std::log2(std::abs(by))) <= 1000) << by;
    const double factor = is_product ? *tree.constant(tree.nodes()[std::size_t(ratio)].of[1]) : 1 / by;
    for (int i = 0; is_product && i < 100'000; ++i) {
      const double value = std::bit_cast<double>(rng());
      if (std::isnan(value)) continue;
      ASSERT_EQ(std::bit_cast<uint64_t>(value * factor), std::bit_cast<uint64_t>(value / by))
          << value << " / " << by;
    }
  }
}

TEST(Formula, DrawsAnew) {
  Tree tree;
  const int32_t first = parse("uniform(0, 1) - uniform(0, 1)", scope_of_a_cell(), Kind::number, tree);
  const int32_t second = parse("normal(10, 2)", scope_of_a_cell(), Kind::number, tree);
  const Program program(tree, {first, second});
  ASSERT_EQ(program.inputs().size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(program.inputs()[std::size_t(i)].draw, i);
  const double draws[] = {0.75, 0.5, 0.25, 0.125};
  double results[2];
  double* const to[] = {&results[0], &results[1]};
  const double* const from[] = {&draws[0], &draws[1], &draws[2], &draws[3]};
  program.run(from, to, 1);
  EXPECT_EQ(results[0], 0.25);
  EXPECT_NEAR(results[1], 10 + 2 * std::sqrt(-2 * std::log(0.75)) * std::cos(2 * M_PI * 0.125), 1e-14);
}

}  // namespace
}  // namespace kiln::formula
