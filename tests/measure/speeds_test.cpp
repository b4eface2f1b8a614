#include "measure/motility/speeds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;
using Places = std::vector<Vec3d>;

// An MCS is a second, a site 2 µm; intervals of 30 s.
constexpr SpeedSettings kSettings{2.0, 1.0, 30, 2.0};

SpeedSums sums_of(const std::vector<double>& speeds) {
  SpeedSums sums;
  for (const double speed : speeds) sums.add(speed, speed < 2);
  return sums;
}

TEST(SpeedMoments, OfAFewSpeeds) {
  // Mean 4; squares of deviations 9, 4, 1, 36: m2 = 12.5; cubes -27, -8, -1, 216: m3 = 45.
  const SpeedMoments m = moments_of(sums_of({1, 2, 3, 10}));
  EXPECT_DOUBLE_EQ(m.mean, 4);
  EXPECT_DOUBLE_EQ(m.sd, std::sqrt(50 / 3.0));
  EXPECT_DOUBLE_EQ(m.skewness, 45 / std::pow(12.5, 1.5));
}

TEST(SpeedMoments, HaveNoMeaningForTooFewOrEqualSpeeds) {
  EXPECT_TRUE(std::isnan(moments_of({}).mean));
  EXPECT_DOUBLE_EQ(moments_of(sums_of({5})).mean, 5);
  EXPECT_TRUE(std::isnan(moments_of(sums_of({5})).sd));
  EXPECT_EQ(moments_of(sums_of({5, 5, 5})).sd, 0);
  EXPECT_TRUE(std::isnan(moments_of(sums_of({5, 5, 5})).skewness));
}

// Far from 0 the raw sums cancel in all but their last digits; the integers do not mind.
TEST(SpeedMoments, DoNotCancel) {
  SpeedSums sums;
  for (int i = 0; i < 30'000; ++i) sums.add(500'000 + i % 3, false);
  const SpeedMoments m = moments_of(sums);
  EXPECT_DOUBLE_EQ(m.mean, 500'001);
  EXPECT_DOUBLE_EQ(m.sd, std::sqrt(2 / 3.0 * 30'000 / 29'999));
  EXPECT_NEAR(m.skewness, 0, 1e-12);
}

TEST(SpeedSums, BinsAreHalfOpenAndTheLastIsOpen) {
  const SpeedSums sums = sums_of({0, 0.999, 1, 1.5, 99.999, 100, 1e12});
  EXPECT_EQ(sums.intervals, 7);
  EXPECT_EQ(sums.counts[0], 2);
  EXPECT_EQ(sums.counts[1], 2);
  EXPECT_EQ(sums.counts[99], 1);
  EXPECT_EQ(sums.counts[100], 2);
  EXPECT_EQ(sums.arrested, 4);
}

// The classical example of Newcombe (1998): 81 of 263, 15 of 148 and the two ends.
TEST(WilsonShare, KnownValues) {
  const auto expect = [](int64_t part, int64_t whole, double low, double high) {
    const Share share = wilson_share(part, whole);
    EXPECT_DOUBLE_EQ(share.value, double(part) / double(whole));
    EXPECT_NEAR(share.low, low, 5e-5) << part << " of " << whole;
    EXPECT_NEAR(share.high, high, 5e-5) << part << " of " << whole;
  };
  expect(81, 263, 0.2553, 0.3662);
  expect(15, 148, 0.0624, 0.1605);
  expect(0, 20, 0, 0.1611);
  expect(1, 29, 0.0061, 0.1718);
  expect(29, 29, 0.8830, 1);
  EXPECT_TRUE(std::isnan(wilson_share(0, 0).low));
}

// Cell 1 moves by (3, 4, 0) sites in 30 s: 10 µm, 20 µm/min. Cell 2 rests, cell 3 is not there.
TEST(Speeds, OfTwoTracks) {
  Speeds speeds(kSettings);
  speeds.add(0, Places{kNoPlace, {0, 0, 0}, {5, 5, 5}, kNoPlace}, 0);
  speeds.add(30, Places{kNoPlace, {3, 4, 0}, {5, 5, 5}, kNoPlace}, 0);
  const std::vector<SpeedSums> sums = speeds.sums();
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(sums[0].intervals, 2);
  EXPECT_EQ(sums[0].arrested, 1);
  EXPECT_EQ(sums[0].counts[0], 1);
  EXPECT_EQ(sums[0].counts[20], 1);
  EXPECT_DOUBLE_EQ(moments_of(sums[0]).mean, 10);
  EXPECT_DOUBLE_EQ(sums[0].arrest_by_cell, 0.5);
}

// A state in between is no end of an interval, whatever measures are due there.
TEST(Speeds, TakesOnlyTheEndsOfIntervals) {
  Speeds speeds(kSettings);
  for (int64_t mcs = 0; mcs <= 95; ++mcs) {
    EXPECT_EQ(speeds.is_due(mcs, 0), mcs % 30 == 0) << mcs;
    if (mcs > 0) {
      EXPECT_EQ(speeds.next_end(mcs), (mcs / 30 + 1) * 30);
    }
    if (mcs % 10 == 0 || mcs % 30 == 0) speeds.add(mcs, Places{kNoPlace, {double(mcs), 0, 0}}, 0);
  }
  const SpeedSums sums = speeds.sums().at(0);
  EXPECT_EQ(sums.intervals, 3);
  EXPECT_EQ(sums.counts[100], 3);  // 60 µm in half a minute
  EXPECT_DOUBLE_EQ(moments_of(sums).mean, 120);
}

// Phase 0 from 7 to 67 has two intervals, the second of which ends with it; then 40 MCS that are not
// measured; phase 2 has room for one.
TEST(Speeds, PhasesAreApart) {
  Speeds speeds(kSettings);
  const auto at = [&](int64_t mcs, int phase, double x) {
    ASSERT_TRUE(speeds.is_due(mcs, phase)) << mcs;
    speeds.add(mcs, Places{kNoPlace, {x, 0, 0}, {0, 0, 0}}, phase);
  };
  EXPECT_FALSE(speeds.is_due(0, -1));
  at(7, 0, 0);
  at(37, 0, 1);    // 4 µm/min
  at(67, -1, 10);  // 36 µm/min
  EXPECT_FALSE(speeds.is_due(97, -1));
  at(107, 2, 10);
  at(137, 2, 10.25);  // 1 µm/min
  const std::vector<SpeedSums> sums = speeds.sums();
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(sums[0].phase, 0);
  EXPECT_EQ(sums[0].intervals, 4);
  EXPECT_EQ(sums[0].counts[4], 1);
  EXPECT_EQ(sums[0].counts[36], 1);
  EXPECT_EQ(sums[0].arrested, 2);
  EXPECT_DOUBLE_EQ(sums[0].arrest_by_cell, 0.5);
  EXPECT_EQ(sums[1].phase, 2);
  EXPECT_EQ(sums[1].counts[1], 1);
  EXPECT_EQ(sums[1].arrested, 2);
  EXPECT_DOUBLE_EQ(sums[1].arrest_by_cell, 1);
}

TEST(Speeds, ACellThatDiesOrComesHasNoStepThere) {
  Speeds speeds(kSettings);
  speeds.add(0, Places{kNoPlace, {0, 0, 0}}, 0);
  speeds.add(30, Places{kNoPlace, kNoPlace, {9, 0, 0}}, 0);
  speeds.add(60, Places{kNoPlace, {50, 0, 0}, {9, 0, 0}}, 0);
  EXPECT_EQ(speeds.sums().at(0).intervals, 1);
  EXPECT_EQ(speeds.sums().at(0).counts[0], 1);
}

TEST(Speeds, WithoutAnIntervalNothingIsDue) {
  const Speeds speeds({1, 1, 0, 2});
  EXPECT_FALSE(speeds.is_due(0, 0));
  EXPECT_EQ(speeds.next_end(5), -1);
}

// One site goes from x = 9 over the edge to x = 0: one site on, not nine back.
TEST(TrackedPlaces, AreUnwrappedAndOnlyOfCellsThatAreFollowed) {
  const std::vector<bool> frozen = {false, false, true};
  std::vector<CellId> ids(10);
  ids[9] = 1;
  ids[4] = 2;
  State state = state_from(flat(10, 1, true, false), ids, {0, 1, 2, 1}, frozen);
  const Places before = tracked_places(state, frozen);
  EXPECT_FALSE(is_known(before[0]));
  EXPECT_FALSE(is_known(before[2])) << "frozen";
  EXPECT_FALSE(is_known(before[3])) << "no site";
  state.ids[9] = 0;
  state.ids[0] = 1;
  recount(state, neighbourhood_of_order(2, moore_order(2)), frozen, true);
  EXPECT_EQ(tracked_places(state, frozen)[1].x - before[1].x, 1);
}

}  // namespace
}  // namespace kiln
