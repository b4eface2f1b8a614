#include "measure/motility/motility.hpp"
#include "core/lattice_size.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "base/error.hpp"
#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;

Model example_model() {
  Model model;
  model.types.resize(2);
  model.phases.resize(2);
  model.units = {2.0, 1.0};
  model.measure.cells_every = 50;
  model.measure.speed_intervals_mcs = {30};
  model.measure.explored = true;
  model.measure.halves = 0;
  model.measure.direction_correlation = true;
  return model;
}

// Two cells side by side in a closed row of 20 sites, `shift` sites from its start.
State pair_at(int64_t mcs, int shift) {
  std::vector<CellId> ids(20);
  ids[std::size_t(shift)] = ids[std::size_t(shift) + 1] = 1;
  ids[std::size_t(shift) + 2] = ids[std::size_t(shift) + 3] = 2;
  State state = state_from(flat(20, 1, false, false), ids, {0, 1, 1}, {false, false});
  state.mcs = mcs;
  return state;
}

TEST(Motility, HandsStatesToItsMeasures) {
  Motility motility(example_model());
  EXPECT_TRUE(motility.watch(pair_at(0, 7), 0).empty());
  EXPECT_EQ(motility.next_due(0), 30);
  EXPECT_EQ(motility.mixed(pair_at(0, 7)), 1) << "cell 1 below the middle, cell 2 on it";
  EXPECT_TRUE(motility.watch(pair_at(10, 8), 0).empty());
  const ExploredRow row = *motility.explore(pair_at(10, 8));
  EXPECT_EQ(row.sites, 5);
  EXPECT_DOUBLE_EQ(row.size, 20);
  EXPECT_DOUBLE_EQ(row.per_cell, 10);
  EXPECT_DOUBLE_EQ(row.visited_mean, 12);
  EXPECT_TRUE(motility.watch(pair_at(30, 9), 0).empty()) << "not yet at a multiple of 50";
  const std::vector<IntervalCorrelation> due = motility.watch(pair_at(60, 11), 0);
  ASSERT_EQ(due.size(), 1u);
  EXPECT_EQ(due[0].interval_mcs, 30);
  const std::vector<CorrelationBin>& rows = due[0].bins;
  ASSERT_FALSE(rows.empty());
  EXPECT_DOUBLE_EQ(rows[0].high, ball_diameter(2, 2));
  EXPECT_EQ(rows[1].pairs, 1) << "2 sites apart, bins of 1.6";
  EXPECT_DOUBLE_EQ(rows[1].correlation, 1);
  EXPECT_DOUBLE_EQ(moments_of(motility.speeds().at(0)).mean, 8);  // 4 µm and 4 µm in half a minute

  motility.watch(pair_at(70, 0), 1);
  EXPECT_EQ(motility.explore(pair_at(70, 0))->sites, 4) << "a phase starts anew";
  EXPECT_EQ(motility.mixed(pair_at(70, 0)), 0) << "both cells in the lower half";
}

// Intervals of 30 and 20 MCS end by turns, and together at 60.
TEST(Motility, TakesSpeedsOverSeveralIntervals) {
  Model model = example_model();
  model.measure.speed_intervals_mcs = {30, 20};
  Motility motility(model);
  int64_t mcs = 0;
  std::vector<std::pair<int64_t, int64_t>> correlated;  // MCS, interval
  for (const int64_t expected : {20, 30, 40, 60}) {
    motility.watch(pair_at(mcs, int(mcs / 10)), 0);
    ASSERT_EQ(motility.next_due(mcs), expected);
    mcs = expected;
    for (const IntervalCorrelation& rows : Motility(motility).watch(pair_at(mcs, int(mcs / 10)), 0))
      correlated.push_back({mcs, rows.interval_mcs});
  }
  motility.watch(pair_at(60, 6), 1);
  EXPECT_EQ(correlated, (std::vector<std::pair<int64_t, int64_t>>{{60, 30}, {60, 20}})) << "multiples of 50";
  const std::vector<SpeedSums> sums = motility.speeds();
  ASSERT_EQ(sums.size(), 4u) << "by phase, then by interval";
  EXPECT_EQ((std::array{sums[0].phase, sums[1].phase, sums[2].phase, sums[3].phase}),
            (std::array{0, 0, 1, 1}));
  EXPECT_EQ(sums[0].interval_mcs, 30);
  EXPECT_EQ(sums[0].intervals, 4);
  EXPECT_EQ(sums[1].interval_mcs, 20);
  EXPECT_EQ(sums[1].intervals, 6);
  // A site of 2 µm every 10 MCS of a second.
  EXPECT_DOUBLE_EQ(moments_of(sums[0]).mean, 12);
  EXPECT_DOUBLE_EQ(moments_of(sums[1]).mean, 12);
}

// Centroids at 7.5 and 9.5 sites of 2 µm: the first in the lower half.
// Where cells are too many, every k-th id has a speed.
TEST(Motility, FollowsNoMoreCellsThanItMay) {
  Model model = example_model();
  model.measure.direction_correlation = false;
  for (const auto& [most, cells] : {std::pair(2, 2), std::pair(1, 1)}) {
    Motility motility(model, 1, {}, most);
    motility.watch(pair_at(0, 7), 0);
    MotilityData data;
    motility.copy_data(data);
    EXPECT_EQ(data.stride, 3 - most);
    NamedArrays arrays;
    add_arrays(data, arrays);
    Motility later(model, 1, motility_from_arrays(arrays), most);
    for (Motility* const one : {&motility, &later}) {
      one->watch(pair_at(30, 9), 0);
      EXPECT_EQ(one->speeds().at(0).intervals, cells);
      EXPECT_DOUBLE_EQ(moments_of(one->speeds().at(0)).mean, 8);
    }
  }
}

TEST(Motility, TellsMixingWithinDistancesInMicrometres) {
  Model model = example_model();
  model.measure.mixed_within_um = {3.9, 4};
  Motility motility(model);
  motility.watch(pair_at(0, 7), 0);
  EXPECT_EQ(motility.mixed_within(pair_at(0, 7)), (std::vector<double>{0, 1}));
}

TEST(Motility, WhatIsNotAskedForIsLeftOut) {
  Model model = example_model();
  model.measure = {};
  Motility motility(model);
  EXPECT_TRUE(motility.watch(pair_at(0, 0), 0).empty());
  EXPECT_EQ(motility.next_due(0), -1);
  EXPECT_FALSE(motility.explore(pair_at(0, 0)).has_value());
  EXPECT_FALSE(motility.mixed(pair_at(0, 0)).has_value());
  EXPECT_TRUE(motility.mixed_within(pair_at(0, 0)).empty());
  EXPECT_TRUE(motility.speeds().empty());
}

TEST(MotilityArrays, BringBackEverything) {
  MotilityData data;
  data.phase = 3;
  data.correlation_bin = 0.1;
  data.halves = {Half::none, Half::lower, Half::upper};
  for (const int64_t start : {1'000'000'000'007, 2'000'000'000'003}) {
    SpeedData& speeds = data.speeds.emplace_back();
    speeds.phase = 3;
    speeds.start_mcs = start;
    speeds.last_mcs = start + 100;
    speeds.last = {{0.1, 0.2, 0.3}, {-1, 1e300, double(start)}};
    speeds.intervals = {0, 12};
    speeds.arrested = {0, start % 10};
    for (const int phase : {1, 3}) {
      SpeedSums& sums = speeds.phases.emplace_back();
      sums.phase = phase;
      for (int i = 0; i < 1000; ++i) sums.add(1e5 * phase + i / 7.0, i % 3 == 0);
      sums.arrest_by_cell = 0.7;
      ASSERT_GT(sums.powers[2], WideSum(1) << 64);
    }
  }
  data.explored.seen = {~0ull, 1ull << 63 | 5, 0};
  data.explored.sites = 66;
  data.explored.stride = 4;
  data.explored.cells = 2;
  data.explored.visits = {1, 100'000, (1ull << 52) + 1};
  NamedArrays arrays;
  add_arrays(data, arrays);
  const MotilityData read = motility_from_arrays(arrays);
  EXPECT_EQ(read.phase, data.phase);
  EXPECT_EQ(read.correlation_bin, data.correlation_bin);
  EXPECT_EQ(read.halves, data.halves);
  ASSERT_EQ(read.speeds.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const SpeedData &speeds = read.speeds[i], &expected = data.speeds[i];
    EXPECT_EQ(speeds.phase, expected.phase);
    EXPECT_EQ(speeds.start_mcs, expected.start_mcs);
    EXPECT_EQ(speeds.last_mcs, expected.last_mcs);
    EXPECT_EQ(speeds.last, expected.last);
    EXPECT_EQ(speeds.intervals, expected.intervals);
    EXPECT_EQ(speeds.arrested, expected.arrested);
    EXPECT_TRUE(speeds.phases == expected.phases);
  }
  EXPECT_EQ(read.explored.seen, data.explored.seen);
  EXPECT_EQ(read.explored.sites, data.explored.sites);
  EXPECT_EQ(read.explored.stride, data.explored.stride);
  EXPECT_EQ(read.explored.cells, data.explored.cells);
  EXPECT_EQ(read.explored.visits, data.explored.visits);

  arrays.erase("speeds.1.last");
  EXPECT_THROW(motility_from_arrays(arrays), UserError);
}

}  // namespace
}  // namespace kiln
