#include "measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kiln {
namespace {

State state_of(const std::vector<std::pair<TypeId, Cells::Extent>>& list) {
  State state;
  Cells& cells = state.cells;
  cells.add(0);
  for (const auto& [type, extent] : list) cells.extent[cells.add(type)] = extent;
  return state;
}

TEST(SizeStatistics, HandComputedPerTypeAndForAll) {
  // Type 2 is frozen; the last cell is extinct.
  const State state = state_of({{1, {10, 30}}, {1, {14, 34}}, {3, {18, 50}}, {2, {900, 900}}, {1, {0, 0}}});
  const SizeStatistics sizes = size_statistics(state, {false, false, true, false});
  EXPECT_EQ(sizes.all.volume.count, 3);
  EXPECT_DOUBLE_EQ(sizes.all.volume.mean, 14);
  EXPECT_DOUBLE_EQ(sizes.all.volume.sd, 4);  // (16 + 0 + 16) / 2 = 16
  EXPECT_DOUBLE_EQ(sizes.all.perimeter.mean, 38);
  EXPECT_DOUBLE_EQ(sizes.all.perimeter.sd, std::sqrt(112.0));  // (64 + 16 + 144) / 2
  ASSERT_EQ(sizes.by_type.size(), 4u);
  EXPECT_EQ(sizes.by_type[0].volume.count, 0);
  EXPECT_DOUBLE_EQ(sizes.by_type[1].volume.mean, 12);
  EXPECT_DOUBLE_EQ(sizes.by_type[1].volume.sd, std::sqrt(8.0));
  EXPECT_EQ(sizes.by_type[2].volume.count, 0);
  EXPECT_TRUE(std::isnan(sizes.by_type[2].volume.mean));
  EXPECT_DOUBLE_EQ(sizes.by_type[3].perimeter.mean, 50);
  EXPECT_TRUE(std::isnan(sizes.by_type[3].perimeter.sd));
}

TEST(Acceptance, IsOfTheDifferences) {
  const Acceptance acceptance = acceptance_between({1000, 400, 100}, {3000, 900, 300});
  EXPECT_DOUBLE_EQ(acceptance.of_attempts, 0.1);
  EXPECT_DOUBLE_EQ(acceptance.of_live, 0.4);
  EXPECT_DOUBLE_EQ(acceptance.live_share, 0.25);
}

TEST(Acceptance, IsUndefinedWithoutAttempts) {
  const Acceptance acceptance = acceptance_between({5, 2, 1}, {5, 2, 1});
  EXPECT_TRUE(std::isnan(acceptance.of_attempts));
  EXPECT_TRUE(std::isnan(acceptance.of_live));
  EXPECT_TRUE(std::isnan(acceptance.live_share));
}

}  // namespace
}  // namespace kiln
