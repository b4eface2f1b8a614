#include "measure/motility/speed_divergence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kiln {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SpeedCounts counts(const std::vector<std::pair<int, int64_t>>& filled) {
  SpeedCounts result{};
  for (const auto& [bin, count] : filled) result[std::size_t(bin)] = count;
  return result;
}

std::vector<int> whole_numbers(int from, int to) {
  std::vector<int> result;
  for (int i = from; i <= to; ++i) result.push_back(i);
  return result;
}

TEST(CommonEdges, AreThoseInsideNoBinOfTheReference) {
  const std::vector<SpeedBin> wide = {{0, 5, 1}, {5, 10, 1}, {10, kInfinity, 1}};
  EXPECT_EQ(common_edges(wide), (std::vector<int>{0, 5, 10}));
  const std::vector<SpeedBin> fine = {{0, 0.5, 1}, {0.5, 1, 1}, {1, 1.75, 1}, {1.75, 2.5, 1}, {2.5, 3, 1}};
  std::vector<int> expected = {0, 1};
  for (const int edge : whole_numbers(3, kSpeedBins)) expected.push_back(edge);
  EXPECT_EQ(common_edges(fine), expected);
  const std::vector<SpeedBin> single = {{3.25, 3.25, 1}, {4, 4, 1}, {1e9, 1e9, 1}};
  EXPECT_EQ(common_edges(single), whole_numbers(0, kSpeedBins));
}

// Three common bins: (30, 10, 0) against (10, 20, 10) counts, each plus 0.5 of 41.5.
TEST(DivergenceBits, OfTwoKnownHistograms) {
  const SpeedCounts run = counts({{0, 12}, {4, 18}, {7, 10}});
  const std::vector<SpeedBin> reference = {{0, 5, 10}, {5, 10, 20}, {10, kInfinity, 10}};
  const double expected =
      (30.5 * std::log2(30.5 / 10.5) + 10.5 * std::log2(10.5 / 20.5) + 0.5 * std::log2(0.5 / 10.5)) / 41.5;
  EXPECT_NEAR(divergence_bits(run, reference), expected, 1e-14);
}

TEST(DivergenceBits, OfEqualHistogramsIsZeroAndOfNoneUndefined) {
  const SpeedCounts run = counts({{2, 3}, {100, 1}});
  const std::vector<SpeedBin> same = {{2, 2, 1}, {2.5, 2.5, 1}, {2.9, 2.9, 1}, {250, 250, 1}};
  EXPECT_EQ(divergence_bits(run, same), 0);
  EXPECT_TRUE(std::isnan(divergence_bits({}, same)));
  EXPECT_TRUE(std::isnan(divergence_bits(run, {})));
}

// A bin is worth more than nothing because of the pseudo-count: 1 of 1 against 1 of 1, a bin apart.
TEST(DivergenceBits, StaysFiniteWhereNothingOverlaps) {
  const std::vector<SpeedBin> reference = {{1, 1, 1}};
  EXPECT_NEAR(divergence_bits(counts({{0, 1}}), reference), std::log2(3.0) / 51.5, 1e-14);
}

}  // namespace
}  // namespace kiln
