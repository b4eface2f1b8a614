// The statistics of `kiln fidelity`, against values from tables and by hand.
#include "fidelity/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/normal_draw.hpp"

namespace kiln {
namespace {

using test::normal_draw;

TEST(FidelityStatistics, MeanAndItsError) {
  const Estimate e = estimate_of({1, 2, 3, 4});  // variance 5/3, over 4 values
  EXPECT_EQ(e.count, 4);
  EXPECT_DOUBLE_EQ(e.mean, 2.5);
  EXPECT_DOUBLE_EQ(e.error, std::sqrt(5.0 / 12));
  EXPECT_TRUE(std::isnan(estimate_of({7}).error));
  EXPECT_TRUE(std::isnan(estimate_of({}).mean));
}

TEST(FidelityStatistics, StudentsTAgreesWithClosedFormsAndTables) {
  // One degree of freedom: 1 - 2 atan(t) / pi. Two: 1 - t / sqrt(2 + t^2).
  EXPECT_NEAR(student_two_sided(1, 1), 0.5, 1e-12);
  EXPECT_NEAR(student_two_sided(std::sqrt(3.0), 1), 1.0 / 3, 1e-12);
  EXPECT_NEAR(student_two_sided(2, 2), 1 - 2 / std::sqrt(6.0), 1e-12);
  EXPECT_NEAR(student_two_sided(0, 7), 1, 1e-12);
  // Any table of Student's t, two-sided.
  EXPECT_NEAR(student_quantile(0.05, 10), 2.228139, 1e-6);
  EXPECT_NEAR(student_quantile(0.01, 30), 2.749996, 1e-6);
  EXPECT_NEAR(student_quantile(0.001, 14), 4.140454, 1e-6);
  EXPECT_NEAR(student_quantile(0.05, 1e6), 1.959966, 1e-5);
}

TEST(FidelityStatistics, HalfWidthOfAMean) {
  EXPECT_NEAR(half_width({11, 5, 2}, 0.05), 2 * 2.228139, 1e-5);
  EXPECT_TRUE(std::isinf(half_width({1, 5, 0}, 0.05)));
}

TEST(FidelityStatistics, RelativeDifferenceByWelch) {
  // Equal errors of 3 and 4: 5 in all; with n = 6 each, Welch gives 625 / (81/5 + 256/5) = 9.273 degrees.
  const Difference d = difference_of({6, 200, 3}, {6, 190, 4}, -200, 0.05);
  EXPECT_DOUBLE_EQ(d.value, -0.05);
  EXPECT_NEAR(d.half_width, 5.0 / 200 * student_quantile(0.05, 3125.0 / 337), 1e-12);
  // Nothing varies: the difference is known exactly.
  EXPECT_EQ(difference_of({6, 200, 0}, {6, 190, 0}, 200, 0.05).half_width, 0);
  EXPECT_TRUE(std::isinf(difference_of({1, 200, 0}, {6, 190, 0}, 200, 0.05).half_width));
}

TEST(FidelityStatistics, IntervalsCoverTheTruthAsOftenAsTheySay) {
  // 4000 intervals at 10%: 400 misses, standard deviation 19; 5 of those give a false-alarm rate of 6e-7.
  int misses = 0;
  for (uint64_t trial = 0; trial < 4000; ++trial) {
    std::vector<double> a, b;
    for (uint64_t i = 0; i < 5; ++i) a.push_back(10 + normal_draw(1, trial * 16 + i));
    for (uint64_t i = 5; i < 15; ++i) b.push_back(12 + 2 * normal_draw(1, trial * 16 + i));
    const Difference d = difference_of(estimate_of(a), estimate_of(b), 1, 0.1);
    if (std::abs(d.value - 2) > d.half_width) ++misses;
  }
  EXPECT_NEAR(misses, 400, 95);
}

TEST(FidelityStatistics, PermutationTestCountsDealsByHand) {
  // Of the 20 ways to deal {1, 2, 3, 4, 5, 6} into threes only two are as extreme as 123 | 456: p = 0.1. With
  // 20000 deals its standard deviation is 0.002; the bound is 5 of those.
  const Curves low{{1}, {2}, {3}}, high{{4}, {5}, {6}};
  EXPECT_NEAR(permutation_test(low, high, 20000, 1), 0.1, 0.0106);
  EXPECT_DOUBLE_EQ(smallest_p(3, 3), 0.1);
  EXPECT_DOUBLE_EQ(smallest_p(2, 4), 1.0 / 15);
  // Nothing differs: every deal is as extreme.
  EXPECT_EQ(permutation_test({{1}, {2}}, {{2}, {1}}, 100, 1), 1);
  EXPECT_EQ(permutation_test({{3}, {3}}, {{3}, {3}}, 100, 1), 1);
  // A fixed seed gives a fixed answer.
  EXPECT_EQ(permutation_test(low, high, 500, 9), permutation_test(low, high, 500, 9));
}

TEST(FidelityStatistics, PermutationTestLooksAtEveryPointInItsOwnUnits) {
  // The second point differs clearly, beside a first one that is a million times larger and does not.
  Curves reference, tested;
  for (uint64_t run = 0; run < 8; ++run) {
    reference.push_back({1e6 * normal_draw(3, 2 * run), 1 + 0.01 * double(run)});
    tested.push_back({1e6 * normal_draw(4, 2 * run), 2 + 0.01 * double(run)});
  }
  EXPECT_LT(permutation_test(reference, tested, 20000, 1), 0.001);
}

TEST(FidelityStatistics, PermutationTestKeepsItsFalseAlarmRate) {
  // 1000 pairs of equal, skewed ensembles with three correlated points: p < 0.05 in 50, standard deviation
  // 6.9; 85 is 5 of those away, a false-alarm rate of 3e-7.
  int alarms = 0;
  for (uint64_t trial = 0; trial < 1000; ++trial) {
    Curves sets[2];
    for (uint64_t run = 0; run < 16; ++run) {
      const double common = normal_draw(5, trial * 64 + run);
      const double other = normal_draw(5, trial * 64 + 32 + run);
      sets[run % 2].push_back({common * common, common + other, std::exp(other)});
    }
    if (permutation_test(sets[0], sets[1], 199, trial) < 0.05) ++alarms;
  }
  EXPECT_LT(alarms, 85);
  EXPECT_GT(alarms, 15);
}

}  // namespace
}  // namespace kiln
