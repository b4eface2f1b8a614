// How the steps of a round are split over the warps of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/cuda/tiles/work_split.hpp"

namespace kiln::cuda {
namespace {

std::vector<WorkSplit> splits(bool share_rest) {
  std::vector<WorkSplit> result;
  for (const uint32_t steps : {1u, 16u, 127u, 128u, 441u, 1024u, 8192u, 28900u, 32768u})
    for (const uint32_t unit : {1u, 2u, 4u})
      for (const uint32_t blocks : {1u, 3u, 132u})
        for (const uint32_t warps : {1u, 5u, 23u, 32u})
          result.push_back({steps, unit, blocks, warps, share_rest});
  return result;
}

std::string text(const WorkSplit& d) {
  return std::to_string(d.steps) + " steps in units of " + std::to_string(d.unit) + " to " +
         std::to_string(d.blocks) + " blocks of " + std::to_string(d.warps_per_block);
}

// How often each number is assigned.
std::vector<int> counts(const WorkSplit& d) {
  std::vector<int> result(d.end(), 0);
  for (uint32_t block = 0; block < d.blocks; ++block)
    for (uint32_t warp = 0; warp < d.warps_per_block; ++warp)
      for (uint32_t i = 0; i < d.steps_per_warp(); ++i)
        if (const uint32_t step = d.step(i, block, warp); step < d.end()) result[step] += 1;
  return result;
}

uint32_t assigned_to(const WorkSplit& d, uint32_t block, uint32_t warp) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < d.steps_per_warp(); ++i) result += d.step(i, block, warp) < d.end() ? 1 : 0;
  return result;
}

TEST(TilesWorkSplit, EveryStepOnce) {
  for (const WorkSplit& d : splits(false)) {
    const std::vector<int> found = counts(d);
    EXPECT_EQ(std::count(found.begin(), found.end(), 1), std::ptrdiff_t(d.end())) << text(d);
  }
}

TEST(TilesWorkSplit, SharedStepsAreNotAssigned) {
  for (const WorkSplit& d : splits(true)) {
    const std::vector<int> found = counts(d);
    EXPECT_TRUE(std::all_of(found.begin(), found.begin() + d.first_single(), [](int n) { return n == 1; }))
        << text(d);
    EXPECT_TRUE(std::all_of(found.begin() + d.first_single(), found.end(), [](int n) { return n == 0; }))
        << text(d);
  }
}

TEST(TilesWorkSplit, NoWarpGetsMoreThanItsShare) {
  for (const WorkSplit& d : splits(false))
    EXPECT_EQ(d.steps_per_warp(), (d.end() + d.warps() - 1) / d.warps()) << text(d);
}

TEST(TilesWorkSplit, BlocksGetAlike) {
  for (const WorkSplit& d : splits(false)) {
    std::vector<uint32_t> of_block(d.blocks, 0);
    for (uint32_t block = 0; block < d.blocks; ++block)
      for (uint32_t warp = 0; warp < d.warps_per_block; ++warp)
        of_block[block] += assigned_to(d, block, warp);
    const auto [least, most] = std::minmax_element(of_block.begin(), of_block.end());
    EXPECT_LE(*most - *least, d.unit) << text(d);
  }
}

// A unit's steps share their random draws: four of a row need one.
TEST(TilesWorkSplit, MostStepsComeInUnits) {
  const WorkSplit large{231200, 4, 132, 23, false};
  EXPECT_EQ(large.first_single(), 19u * 4 * large.warps());
  const WorkSplit flat{8192, 2, 132, 32, false};  // one turn of two steps, where two turns of one would do
  EXPECT_EQ(flat.turns_of_units(), 1u);
  EXPECT_EQ(flat.first_single(), flat.end());
}

}  // namespace
}  // namespace kiln::cuda
