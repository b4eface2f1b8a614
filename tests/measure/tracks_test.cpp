#include "measure/motility/tracks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "core/random.hpp"
#include "measure/motility/track_arrays.hpp"

namespace kiln {
namespace {

const std::vector<bool> kOneType = {false, false};
constexpr Units kPlain{1.0, 60.0};  // an MCS is a minute

// Cells of one site each at these places; a cell at kDead has none.
constexpr Vec3i kDead{-1000, 0, 0};
State state_at(int64_t mcs, const std::vector<Vec3i>& places) {
  State state;
  state.mcs = mcs;
  state.cells.add(0);
  for (const Vec3i& place : places) {
    const CellId cell = state.cells.add(1);
    if (place == kDead) continue;
    state.cells.extent[cell].volume = 1;
    state.cells.centroid[cell].anchor = place;
  }
  return state;
}

TEST(Tracks, FirstSampleHasNoStep) {
  Tracks tracks(kPlain, kOneType);
  const Motion motion = tracks.add(state_at(0, {{3, 4, 5}}));
  EXPECT_EQ(motion.tracks, 1);
  EXPECT_EQ(motion.displacement_um, 0);
  EXPECT_EQ(motion.msd_um2, 0);
  EXPECT_TRUE(std::isnan(motion.speed_um_per_min));
  EXPECT_TRUE(std::isnan(motion.order_index));
  EXPECT_TRUE(std::isnan(motion.direction_autocorrelation));
  EXPECT_TRUE(std::isnan(motion.straightness));
  EXPECT_TRUE(tracks.lags().empty());
}

TEST(Tracks, SpeedsByTypeGoThroughCheckpoints) {
  const std::vector<bool> frozen(4, false);
  Tracks tracks(kPlain, frozen);
  State state = state_at(0, {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}});
  state.cells.type[2] = 2;
  tracks.add(state);
  EXPECT_TRUE(std::isnan(tracks.speed_of_type(1)));
  state.mcs = 2;
  for (CellId cell = 1; cell <= 3; ++cell) state.cells.centroid[cell].anchor.x = int32_t(4 * cell);
  tracks.add(state);
  const Tracks again(kPlain, frozen, {}, tracks_from_arrays(arrays_of(tracks.data(), {})));
  for (const Tracks* t : {&std::as_const(tracks), &again}) {
    EXPECT_DOUBLE_EQ(t->speed_of_type(1), 4);  // cells 1 and 3: 4 and 12 sites in 2 minutes
    EXPECT_DOUBLE_EQ(t->speed_of_type(2), 4);
    EXPECT_TRUE(std::isnan(t->speed_of_type(3)));
    EXPECT_TRUE(std::isnan(t->speed_of_type(9)));
  }
}

// All cells move by (3, 4, 0) sites of 2 um every 10 MCS of 30 s: 10 um in 5 minutes.
TEST(Tracks, StraightMotion) {
  Tracks tracks({2.0, 30.0}, kOneType);
  Motion motion;
  for (int i = 0; i <= 6; ++i)
    motion = tracks.add(state_at(10 * i, {{3 * i, 4 * i, 0}, {7 + 3 * i, 4 * i, 9}}));
  EXPECT_EQ(motion.tracks, 2);
  EXPECT_DOUBLE_EQ(motion.displacement_um, 60);
  EXPECT_DOUBLE_EQ(motion.msd_um2, 3600);
  EXPECT_DOUBLE_EQ(motion.speed_um_per_min, 2);
  EXPECT_DOUBLE_EQ(motion.order_index, 1);
  EXPECT_DOUBLE_EQ(motion.direction_autocorrelation, 1);
  EXPECT_DOUBLE_EQ(motion.straightness, 1);
  const std::vector<Lag> lags = tracks.lags();
  ASSERT_EQ(lags.size(), 6u);
  for (int k = 1; k <= 6; ++k) {
    const Lag& lag = lags[k - 1];
    EXPECT_DOUBLE_EQ(lag.seconds, 300 * k);
    EXPECT_DOUBLE_EQ(lag.msd_um2, 100 * k * k);
    EXPECT_EQ(lag.pairs, 2 * (7 - k));
    if (k < 6)
      EXPECT_DOUBLE_EQ(lag.direction_autocorrelation, 1);
    else
      EXPECT_TRUE(std::isnan(lag.direction_autocorrelation));
  }
}

// (0,0) (1,0) (1,1) (2,1) (2,2), a step of 2 um per minute.
TEST(Tracks, ZigZag) {
  Tracks tracks({2.0, 30.0}, kOneType);
  const std::vector<Vec3i> way = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 1, 0}, {2, 2, 0}};
  Motion motion;
  for (int i = 0; i < 5; ++i) motion = tracks.add(state_at(2 * i, {way[i]}));
  EXPECT_DOUBLE_EQ(motion.displacement_um, 2 * std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(motion.msd_um2, 32);
  EXPECT_DOUBLE_EQ(motion.speed_um_per_min, 2);
  EXPECT_DOUBLE_EQ(motion.order_index, 1);  // there is but one cell
  EXPECT_DOUBLE_EQ(motion.direction_autocorrelation, 0);
  EXPECT_DOUBLE_EQ(motion.straightness, std::sqrt(8.0) / 4);
  const std::vector<Lag> lags = tracks.lags();
  ASSERT_EQ(lags.size(), 4u);
  const double msd[] = {4, 8, 20, 32}, correlation[] = {0, 1, 0};
  for (int k = 0; k < 4; ++k) {
    EXPECT_DOUBLE_EQ(lags[k].seconds, 60.0 * (k + 1));
    EXPECT_DOUBLE_EQ(lags[k].msd_um2, msd[k]);
    EXPECT_EQ(lags[k].pairs, 4 - k);
    if (k < 3)
      EXPECT_DOUBLE_EQ(lags[k].direction_autocorrelation, correlation[k]);
    else
      EXPECT_TRUE(std::isnan(lags[k].direction_autocorrelation));
  }
}

TEST(Tracks, OrderIndexIsTheLengthOfTheMeanDirection) {
  const auto order = [](const std::vector<Vec3i>& steps) {
    Tracks tracks(kPlain, kOneType);
    tracks.add(state_at(0, std::vector<Vec3i>(steps.size())));
    return tracks.add(state_at(1, steps)).order_index;
  };
  EXPECT_DOUBLE_EQ(order({{5, 0, 0}, {1, 0, 0}}), 1);
  EXPECT_DOUBLE_EQ(order({{5, 0, 0}, {0, 1, 0}}), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(order({{5, 0, 0}, {-1, 0, 0}}), 0);
  EXPECT_DOUBLE_EQ(order({{5, 0, 0}, {0, 0, 0}}), 1);  // who does not move has no direction
  EXPECT_TRUE(std::isnan(order({{0, 0, 0}})));
}

TEST(Tracks, TheFirstDirectionIsThatOfTheFirstStepMade) {
  Tracks tracks(kPlain, kOneType);
  tracks.add(state_at(0, {{0, 0, 0}}));
  EXPECT_TRUE(std::isnan(tracks.add(state_at(1, {{0, 0, 0}})).direction_autocorrelation));
  EXPECT_DOUBLE_EQ(tracks.add(state_at(2, {{1, 0, 0}})).direction_autocorrelation, 1);
  EXPECT_DOUBLE_EQ(tracks.add(state_at(3, {{0, 0, 0}})).direction_autocorrelation, -1);
}

TEST(Tracks, DeadCellsStopContributing) {
  Tracks tracks(kPlain, kOneType);
  tracks.add(state_at(0, {{0, 0, 0}, {0, 0, 0}}));
  tracks.add(state_at(1, {{1, 0, 0}, {100, 0, 0}}));
  Motion motion = tracks.add(state_at(2, {{2, 0, 0}, kDead}));
  EXPECT_EQ(motion.tracks, 1);
  EXPECT_DOUBLE_EQ(motion.displacement_um, 2);
  EXPECT_DOUBLE_EQ(motion.speed_um_per_min, 1);
  motion =
      tracks.add(state_at(3, {{3, 0, 0}, {500, 0, 0}, {7, 7, 7}}));  // ids come again, and new ones appear
  EXPECT_EQ(motion.tracks, 3);
  EXPECT_DOUBLE_EQ(motion.displacement_um, 1);  // 3, 0, 0
  EXPECT_DOUBLE_EQ(motion.speed_um_per_min, 1);
  const std::vector<Lag> lags = tracks.lags();
  EXPECT_EQ(lags.at(0).pairs, 4);
  EXPECT_DOUBLE_EQ(lags.at(0).msd_um2, (3 * 1 + 100.0 * 100.0) / 4);
}

TEST(Tracks, FrozenCellsAreNotFollowed) {
  Tracks tracks(kPlain, {false, true});
  EXPECT_EQ(tracks.add(state_at(0, {{0, 0, 0}})).tracks, 0);
}

TEST(Tracks, AStateThatIsNotLaterAddsNothing) {
  Tracks tracks(kPlain, kOneType);
  tracks.add(state_at(0, {{0, 0, 0}}));
  tracks.add(state_at(5, {{5, 0, 0}}));
  EXPECT_DOUBLE_EQ(tracks.add(state_at(5, {{5, 0, 0}})).speed_um_per_min, 1);
  EXPECT_EQ(tracks.data().samples, 2);
}

// Samples every 10 MCS, but for a gap and for the last.
TEST(Tracks, LagsPairSamplesThatLieExactlyApart) {
  Tracks tracks(kPlain, kOneType);
  for (const int mcs : {0, 500, 510, 520, 530, 533}) tracks.add(state_at(mcs, {{mcs, 0, 0}}));
  const std::vector<Lag> lags = tracks.lags();
  ASSERT_GE(lags.size(), 3u);
  for (int k = 1; k <= 3; ++k) {
    EXPECT_DOUBLE_EQ(lags[k - 1].seconds, 600 * k);
    EXPECT_DOUBLE_EQ(lags[k - 1].msd_um2, 100 * k * k);
    EXPECT_EQ(lags[k - 1].pairs, 4 - k);
  }
  EXPECT_DOUBLE_EQ(lags.back().seconds / 60, std::sqrt(lags.back().msd_um2));
}

TEST(Tracks, EveryKthCellIsFollowed) {
  Tracks tracks(kPlain, kOneType, {10, 1000, 1});
  std::vector<Vec3i> places(95);
  tracks.add(state_at(0, places));
  EXPECT_EQ(tracks.stride(), 10);
  for (int i = 0; i < 95; ++i) places[i] = {i, 0, 0};  // cell i + 1 moves by i
  const Motion motion = tracks.add(state_at(1, places));
  EXPECT_EQ(motion.tracks, 10);  // ids 1, 11, ..., 91
  EXPECT_DOUBLE_EQ(motion.displacement_um, 45);
}

TEST(Tracks, HistoryStaysWithinItsLimit) {
  Tracks tracks(kPlain, kOneType, {100, 40, 2});
  std::vector<Vec3i> places(8);
  for (int i = 0; i < 200; ++i) {
    for (int cell = 0; cell < 8; ++cell) places[cell] = {2 * i, cell, 0};
    const Motion motion = tracks.add(state_at(i, places));
    ASSERT_EQ(motion.tracks, 8);
    ASSERT_DOUBLE_EQ(motion.displacement_um, 2 * i);
    std::size_t positions = 0;
    for (const auto& sample : tracks.data().positions) positions += sample.size();
    ASSERT_LE(positions, 40u);
  }
  // Two tracks are left and at most 20 of the 200 samples: every 16th, 13 of them.
  EXPECT_EQ(tracks.data().keep_track, 4);
  EXPECT_EQ(tracks.data().keep_every, 16);
  const std::vector<Lag> lags = tracks.lags();
  ASSERT_EQ(lags.size(), 12u);
  for (int k = 1; k <= 12; ++k) {
    EXPECT_DOUBLE_EQ(lags[k - 1].seconds, 960 * k);
    EXPECT_DOUBLE_EQ(lags[k - 1].msd_um2, 32.0 * k * 32.0 * k);
    EXPECT_EQ(lags[k - 1].pairs, 2 * (13 - k));
  }
}

std::vector<Vec3i> walked(std::vector<Vec3i> places, uint32_t step) {
  for (std::size_t cell = 0; cell < places.size(); ++cell) {
    const Draw random = draw(2024, Stream::attempts, cell, step);
    places[cell].x += random.a & 1 ? 1 : -1;
    places[cell].y += random.b & 1 ? 1 : -1;
  }
  return places;
}

TEST(Tracks, GoOnFromTheirData) {
  const TrackLimits limits{100, 300, 5};
  Tracks whole({0.7, 13}, kOneType, limits), first({0.7, 13}, kOneType, limits);
  std::vector<Vec3i> places(30);
  uint32_t step = 0;
  for (; step < 25; ++step) {
    whole.add(state_at(step, places));
    first.add(state_at(step, places));
    places = walked(places, step);
  }
  Tracks second({0.7, 13}, kOneType, limits, first.data());
  for (; step < 60; ++step) {
    const Motion a = whole.add(state_at(step, places)), b = second.add(state_at(step, places));
    ASSERT_EQ(a.straightness, b.straightness);
    ASSERT_EQ(a.msd_um2, b.msd_um2);
    ASSERT_EQ(a.direction_autocorrelation, b.direction_autocorrelation);
    places = walked(places, step);
  }
  const std::vector<Lag> a = whole.lags(), b = second.lags();
  ASSERT_EQ(a.size(), b.size());
  ASSERT_GT(a.size(), 3u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].msd_um2, b[i].msd_um2);
    EXPECT_EQ(a[i].pairs, b[i].pairs);
  }
}

// Every step is (+-1, +-1), so the mean squared displacement after t steps is 2 t, with variance 4 t^2 - 4 t
// per cell. All bounds are five standard deviations: together they fail fewer than one right program in
// 10,000.
TEST(Tracks, RandomWalk) {
  constexpr int kCells = 1000, kSteps = 100;
  Tracks tracks(kPlain, kOneType);
  std::vector<Vec3i> places(kCells);
  for (int t = 0; t <= kSteps; ++t) {
    const Motion motion = tracks.add(state_at(t, places));
    if (t == 10 || t == 30 || t == 100) {
      EXPECT_NEAR(motion.msd_um2, 2 * t, 5 * std::sqrt((4.0 * t * t - 4 * t) / kCells)) << t;
    }
    places = walked(places, uint32_t(t));
  }
  const std::vector<Lag> lags = tracks.lags();
  EXPECT_DOUBLE_EQ(lags.at(0).msd_um2, 2);
  for (const int k : {2, 5, 20}) {
    const Lag& lag = lags.at(k - 1);
    EXPECT_EQ(lag.pairs, int64_t(kCells) * (kSteps + 1 - k));
    // Averaging over overlapping stretches is no worse than over those that do not overlap.
    EXPECT_NEAR(lag.msd_um2, 2 * k, 5 * std::sqrt((4.0 * k * k - 4 * k) / (kCells * (kSteps / k)))) << k;
    // The cosine is -1, 0 or 1 with variance 1/2, and different pairs of steps are uncorrelated.
    EXPECT_NEAR(lag.direction_autocorrelation, 0, 5 * std::sqrt(0.5 / (kCells * (kSteps - k)))) << k;
  }
  // The mean of n unit vectors has a length of sqrt(log(1/q) / n) or more with probability q: here q = 1e-6.
  EXPECT_LT(tracks.data().motion.order_index, std::sqrt(13.8 / kCells));
}

}  // namespace
}  // namespace kiln
