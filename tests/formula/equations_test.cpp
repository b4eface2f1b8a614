#include "formula/equations.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "formula/parse.hpp"

namespace kiln::formula {
namespace {

// Equations by name of the unknown; other names are given, and equal in all cells.
struct Solved {
  Solved(const std::vector<std::pair<std::string, std::string>>& equations,
         const std::map<std::string, double>& given, double seconds, int steps) {
    Scope scope;
    System system;
    for (const auto& [name, formula] : equations) {
      scope.values.push_back(name);
      system.unknowns.push_back({name, ""});
    }
    for (const auto& [name, value] : given) scope.values.push_back(name);
    scope.values.push_back("time");
    Tree tree;
    for (const auto& [name, formula] : equations)
      system.derivatives.push_back(parse(formula, scope, Kind::number, tree));
    solver = std::make_unique<Equations>(tree, system, seconds, steps);
    for (const Input& input : solver->given()) columns.emplace_back(kCells, given.at(input.name));
  }
  // Starts that differ from cell to cell by a hundredth.
  std::vector<std::vector<double>> from(const std::vector<double>& start, int mcs) const {
    std::vector<std::vector<double>> values;
    for (const double value : start) {
      std::vector<double>& column = values.emplace_back();
      for (int cell = 0; cell < kCells; ++cell) column.push_back(value * (1 + 0.01 * cell));
    }
    std::vector<double*> unknowns;
    for (auto& column : values) unknowns.push_back(column.data());
    std::vector<const double*> given;
    for (const auto& column : columns) given.push_back(column.data());
    for (int m = 0; m < mcs; ++m)
      solver->advance(unknowns, given, m * solver->seconds_per_step() * solver->steps(), kCells);
    return values;
  }

  static constexpr int kCells = 2500;  // no multiple of a batch
  std::unique_ptr<Equations> solver;
  std::vector<std::vector<double>> columns;
};

TEST(Equations, KnowDecayAndLogisticGrowth) {
  const Solved decay({{"y", "-rate * y"}}, {{"rate", 0.3}}, 1, 4);
  const auto fell = decay.from({2}, 10)[0];
  for (const int cell : {0, 1023, 1024, 2499})
    EXPECT_NEAR(fell[std::size_t(cell)], 2 * (1 + 0.01 * cell) * std::exp(-3),
                1e-5 * fell[std::size_t(cell)]);
  const Solved logistic({{"n", "r * n * (1 - n / k)"}}, {{"r", 0.5}, {"k", 40}}, 1, 4);
  const auto grown = logistic.from({1}, 12)[0];
  for (const int cell : {0, 700, 2499}) {
    const double start = 1 + 0.01 * cell, exact = 40 / (1 + (40 / start - 1) * std::exp(-6));
    EXPECT_NEAR(grown[std::size_t(cell)], exact, 1e-4);
  }
}

// Time passes within a step, too: the integral of cos.
TEST(Equations, MayDependOnTime) {
  const auto sine = Solved({{"y", "cos(time)"}}, {}, 0.5, 2).from({0}, 9)[0];
  EXPECT_NEAR(sine[0], std::sin(4.5), 1e-4);
}

// x - ln x + y - ln y does not change.
TEST(Equations, KeepTheInvariantOfPredatorAndPrey) {
  const Solved lotka({{"x", "x - x * y"}, {"y", "x * y - y"}}, {}, 0.1, 2);
  const auto values = lotka.from({1.5, 0.7}, 300);
  const auto invariant = [](double x, double y) { return x - std::log(x) + y - std::log(y); };
  for (const int cell : {0, 5, 20})
    EXPECT_NEAR(invariant(values[0][std::size_t(cell)], values[1][std::size_t(cell)]),
                invariant(1.5 * (1 + 0.01 * cell), 0.7 * (1 + 0.01 * cell)), 1e-5);
}

// Half the step, a sixteenth of the error.
TEST(Equations, AreOfFourthOrder) {
  const auto error = [](int steps) {
    const auto values = Solved({{"x", "v"}, {"v", "-x"}}, {}, 1, steps).from({1, 0.25}, 3);
    return std::hypot(values[0][0] - (std::cos(3) + 0.25 * std::sin(3)),
                      values[1][0] - (0.25 * std::cos(3) - std::sin(3)));
  };
  EXPECT_NEAR(error(4) / error(8), 16, 0.5);
  EXPECT_NEAR(error(8) / error(16), 16, 0.2);
}

// The cell cycle of Ferrell, Tsai and Yang (Cell 144, 2011), an autonomous relaxation oscillator: CDK1
// activates PLK1, PLK1 activates APC, and APC destroys CDK1. Its period, found by an independent integration
// of high accuracy: scipy 1.10's DOP853, rtol 1e-11 and 1e-13, atol 1e-14, max_step 0.02, crossings of 0.3 by
// rising CDK1 from t = 180 to 200, started at 0; they agree to 1e-13. With these steps of Runge and Kutta's
// method the period is 4e-7 too short.
TEST(Equations, HaveThePeriodOfTheCellCycle) {
  constexpr double kPeriod = 4.3794709829269;
  const Solved cycle({{"cdk", "a1 - b1 * cdk * hill(apc, 0.5, 8)"},
                      {"plk", "a2 * (1 - plk) * hill(cdk, 0.5, 8) - b2 * plk"},
                      {"apc", "a3 * (1 - apc) * hill(plk, 0.5, 8) - b3 * apc"}},
                     {{"a1", 0.1}, {"b1", 3}, {"a2", 3}, {"b2", 1}, {"a3", 3}, {"b3", 1}}, 0.02, 1);
  double cdk = 0, plk = 0, apc = 0;
  const std::vector<double*> unknowns{&cdk, &plk, &apc};
  std::vector<const double*> columns;
  for (const auto& column : cycle.columns) columns.push_back(column.data());
  const double dt = 0.02;
  std::vector<double> crossings;
  double before = 0;
  for (int step = 0; step < 5000; ++step) {
    cycle.solver->advance(unknowns, columns, step * dt, 1);
    // CDK1 rises nearly straight there, and what interpolation errs is the same in every cycle.
    if (before < 0.3 && cdk >= 0.3) crossings.push_back(dt * (step + (0.3 - before) / (cdk - before)));
    before = cdk;
  }
  ASSERT_EQ(crossings.size(), 23u);
  EXPECT_NEAR((crossings[22] - crossings[12]) / 10, kPeriod, 1e-6 * kPeriod);
}

// Two cells, each of which holds the other's Delta down by its own: one of them wins.
TEST(Equations, MakeNeighboursDiffer) {
  const Solved pair({{"na", "db^2 / (0.01 + db^2) - na"},
                     {"da", "1 / (1 + 100 * na^2) - da"},
                     {"nb", "da^2 / (0.01 + da^2) - nb"},
                     {"db", "1 / (1 + 100 * nb^2) - db"}},
                    {}, 1, 4);
  const auto values = pair.from({0.5, 0.51, 0.5, 0.49}, 100);
  EXPECT_GT(values[1][0], 0.9);
  EXPECT_LT(values[3][0], 0.1);
}

}  // namespace
}  // namespace kiln::formula
