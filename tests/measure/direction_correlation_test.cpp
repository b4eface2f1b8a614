#include "measure/motility/direction_correlation.hpp"
#include "core/lattice_size.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "measure/motility/near_places.hpp"
#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;
using Places = std::vector<Vec3d>;

const Lattice kClosed = deep({100, 100, 100}, {false, false, false});
const Lattice kPeriodic = deep({100, 100, 100}, {true, true, true});

// Where cells were that are now at `to`.
Places before(const Places& to, const std::vector<Vec3d>& steps) {
  Places from = to;
  for (std::size_t i = 0; i < to.size(); ++i) from[i] = to[i] - steps[i];
  return from;
}

// The number is the cosine of the two steps, whatever their lengths.
TEST(DirectionCorrelation, OfTwoCells) {
  const Places to = {kNoPlace, {20, 20, 20}, {23, 24, 20}};  // 5 apart
  const struct {
    Vec3d a, b;
    double expected;
  } cases[] = {{{1, 0, 0}, {7, 0, 0}, 1},
               {{0, 2, 0}, {0, -1, 0}, -1},
               {{0, 0, 3}, {1, 0, 0}, 0},
               {{1, 1, 0}, {0, 5, 0}, std::sqrt(0.5)}};
  for (const auto& [a, b, expected] : cases) {
    const auto bins = direction_correlation(kClosed, before(to, {{}, a, b}), to, {10, 4, 1, 1});
    ASSERT_EQ(bins.size(), 3u);
    EXPECT_EQ(bins[0].pairs + bins[2].pairs, 0);
    EXPECT_TRUE(std::isnan(bins[0].correlation));
    EXPECT_EQ(bins[1].pairs, 1);
    EXPECT_NEAR(bins[1].correlation, expected, 1e-9);
  }
}

TEST(DirectionCorrelation, BinsEndAtTheDistance) {
  const auto bins = direction_correlation(kClosed, {}, {}, {10, 4, 1, 1});
  ASSERT_EQ(bins.size(), 3u);
  EXPECT_EQ(bins[0].low, 0);
  EXPECT_EQ(bins[0].high, 4);
  EXPECT_EQ(bins[2].low, 8);
  EXPECT_EQ(bins[2].high, 10);
  // 4 apart: the second bin; 10 apart: none.
  const Places to = {kNoPlace, {0, 0, 0}, {4, 0, 0}, {14, 0, 0}};
  const Places from = before(to, {{}, {1, 0, 0}, {1, 0, 0}, {1, 0, 0}});
  const auto counted = direction_correlation(kClosed, from, to, {10, 4, 1, 1});
  EXPECT_EQ(counted[0].pairs, 0);
  EXPECT_EQ(counted[1].pairs, 1);
  EXPECT_EQ(counted[2].pairs, 0);
}

// 98 and 3 are 5 apart in a periodic box of 100, also where a cell has gone around it.
TEST(DirectionCorrelation, AcrossTheEdge) {
  const Places to = {kNoPlace, {98, 50, 50}, {303, -50, 50}};
  const Places from = before(to, {{}, {1, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(direction_correlation(kPeriodic, from, to, {10, 10, 1, 1})[0].pairs, 1);
  const Places inside = {kNoPlace, {98, 50, 50}, {3, 50, 50}};
  const Places moved = before(inside, {{}, {1, 0, 0}, {1, 0, 0}});
  EXPECT_EQ(direction_correlation(kPeriodic, moved, inside, {10, 10, 1, 1})[0].pairs, 1);
  EXPECT_EQ(direction_correlation(kClosed, moved, inside, {10, 10, 1, 1})[0].pairs, 0);
}

TEST(DirectionCorrelation, ACellThatRestsTakesNoPart) {
  const Places to = {kNoPlace, {10, 10, 10}, {12, 10, 10}, {14, 10, 10}, kNoPlace};
  const Places from = {kNoPlace, {10, 10, 10}, {11, 10, 10}, {13, 10, 10}, {9, 9, 9}};
  const auto bins = direction_correlation(kClosed, from, to, {10, 10, 1, 1});
  EXPECT_EQ(bins[0].pairs, 1);
  EXPECT_DOUBLE_EQ(bins[0].correlation, 1);
}

Places scattered(int cells, double size, uint32_t step) {
  Places places = {kNoPlace};
  for (int cell = 1; cell <= cells; ++cell) {
    Digits digits{draw(11, Stream::pictures, uint64_t(cell), step).ab()};
    const auto next = [&] { return double(digits.take(1u << 16)) / (1u << 16) * size; };
    const double x = next(), y = next(), z = next();
    places.push_back({x, y, z});
  }
  return places;
}

TEST(DirectionCorrelation, OfAlignedCellsIsOneInEveryBin) {
  const Places to = scattered(200, 99, 0);
  const Places from = before(to, std::vector<Vec3d>(to.size(), Vec3d{0.5, -2, 1}));
  int64_t pairs = 0;
  for (const CorrelationBin& bin : direction_correlation(kPeriodic, from, to, {60, 12, 1, 1})) {
    EXPECT_NEAR(bin.correlation, 1, 1e-9);
    pairs += bin.pairs;
  }
  EXPECT_GT(pairs, 1000);
}

// All pairs, one by one. Boxes with one, two and many buckets to a side.
TEST(DirectionCorrelation, EqualsANaiveSum) {
  const Places to = scattered(150, 90, 0), steps = scattered(150, 1, 1);
  Places from = to;
  for (std::size_t i = 1; i < to.size(); ++i) from[i] = to[i] - (steps[i] - Vec3d{0.5, 0.5, 0.5});
  for (const Lattice& lattice : {kClosed, kPeriodic, deep({100, 91, 95}, {true, false, true})})
    for (const double distance : {5.0, 13.0, 30.0, 40.0, 70.0})
      for (const int64_t stride : {1, 7}) {
        const double width = 6;
        std::vector<int64_t> pairs(std::size_t(std::ceil(distance / width)));
        std::vector<double> sums(pairs.size());
        for (std::size_t a = 1; a < to.size(); ++a)
          for (std::size_t b = a + 1; b < to.size(); ++b) {
            if ((a - 1) % std::size_t(stride) != 0 && (b - 1) % std::size_t(stride) != 0) continue;
            Vec3d way = to[b] - to[a];
            for (int axis = 0; axis < 3; ++axis)
              if (lattice.periodic[axis]) way[axis] = std::remainder(way[axis], lattice.size[axis]);
            const double length = std::sqrt(dot(way, way));
            if (length >= distance) continue;
            const Vec3d u = to[a] - from[a], v = to[b] - from[b];
            ++pairs[std::size_t(length / width)];
            sums[std::size_t(length / width)] += dot(u, v) / std::sqrt(dot(u, u) * dot(v, v));
          }
        const auto bins = direction_correlation(lattice, from, to, {distance, width, stride, 1});
        const auto threads = direction_correlation(lattice, from, to, {distance, width, stride, 3});
        ASSERT_EQ(bins.size(), pairs.size());
        for (std::size_t bin = 0; bin < bins.size(); ++bin) {
          EXPECT_EQ(bins[bin].pairs, pairs[bin]) << distance << " bin " << bin;
          EXPECT_EQ(threads[bin].pairs, pairs[bin]);
          if (pairs[bin] == 0) continue;
          EXPECT_NEAR(bins[bin].correlation, sums[bin] / double(pairs[bin]), 1e-8);
          EXPECT_EQ(threads[bin].correlation, bins[bin].correlation);
        }
      }
}

// One direction has length 1; two have |u + v| / 2 = cos(angle / 2), whose mean is 2/3 on a sphere and 2/pi
// on a circle. Three on a sphere: 13/24 (Irwin and Hall's distribution by hand).
TEST(IndependentOrder, OfFewDirections) {
  EXPECT_EQ(independent_order(1, 3), 1);
  EXPECT_EQ(independent_order(1, 2), 1);
  EXPECT_NEAR(independent_order(2, 3), 2 / 3.0, 1e-12);
  EXPECT_NEAR(independent_order(3, 3), 13 / 24.0, 1e-12);
  EXPECT_NEAR(independent_order(2, 2), 2 / std::acos(-1.0), 1e-12);
  EXPECT_NEAR(independent_order(3, 2), 1.5745972 / 3, 0.003);  // the mean distance of a walk of three steps
}

TEST(IndependentOrder, IsContinuedByTheLawForMany) {
  const double pi = std::acos(-1.0);
  EXPECT_NEAR(independent_order(12, 3), independent_order(13, 3) * std::sqrt(13 / 12.0), 2e-4);
  EXPECT_NEAR(independent_order(100'000, 3), std::sqrt(8 / (3 * pi * 1e5)), 1e-7);
  EXPECT_NEAR(independent_order(100'000, 2), std::sqrt(pi / 4e5), 1e-7);
}

// Every cell's surroundings, one by one.
TEST(DirectionOrder, EqualsANaiveMean) {
  const Places to = scattered(150, 90, 0), steps = scattered(150, 1, 1);
  Places from = to;
  for (std::size_t i = 1; i < to.size(); ++i) from[i] = to[i] - (steps[i] - Vec3d{0.5, 0.5, 0.5});
  from[5] = to[5];  // rests
  for (const Lattice& lattice : {kClosed, kPeriodic})
    for (const std::size_t stride : {1, 7}) {
      const auto bins = direction_correlation(lattice, from, to, {40, 15, int64_t(stride), 1});
      ASSERT_EQ(bins.size(), 3u);
      for (const CorrelationBin& bin : bins) {
        double order = 0, null = 0, within = 0, cells = 0;
        for (std::size_t a = 1; a < to.size(); a += stride) {
          if (a == 5) continue;
          Vec3d sum;
          int64_t near = 0;
          for (std::size_t b = 1; b < to.size(); ++b) {
            Vec3d way = to[b] - to[a];
            for (int axis = 0; axis < 3; ++axis)
              if (lattice.periodic[axis]) way[axis] = std::remainder(way[axis], lattice.size[axis]);
            const Vec3d step = to[b] - from[b];
            if (std::sqrt(dot(way, way)) >= bin.high || b == 5) continue;
            sum = sum + step * (1 / std::sqrt(dot(step, step)));
            ++near;
          }
          ++cells;
          within += double(near);
          order += std::sqrt(dot(sum, sum)) / double(near);
          null += independent_order(near, 3);
        }
        EXPECT_NEAR(bin.cells_within, within / cells, 1e-9);
        EXPECT_NEAR(bin.order_index, order / cells, 1e-8);
        EXPECT_NEAR(bin.order_null, null / cells, 1e-8);
      }
      const auto threads = direction_correlation(lattice, from, to, {40, 15, int64_t(stride), 3});
      for (std::size_t i = 0; i < bins.size(); ++i) EXPECT_EQ(threads[i].order_index, bins[i].order_index);
    }
}

// 1000 cells with directions of their own. Fixed draws; over other draws the ratios have a standard deviation
// of about 0.01.
TEST(DirectionOrder, OfIndependentCellsIsTheNull) {
  const Places to = scattered(1000, 100, 2), draws = scattered(8000, 2, 3);
  Places from = to;
  std::size_t next = 1;
  for (std::size_t i = 1; i < to.size(); ++i) {
    Vec3d step;
    do step = draws[next++] - Vec3d{1, 1, 1};
    while (dot(step, step) > 1 || dot(step, step) == 0);  // evenly over a ball: evenly over directions
    from[i] = to[i] - step;
  }
  for (const CorrelationBin& bin : direction_correlation(kPeriodic, from, to, {20, 5, 1, 1}))
    EXPECT_NEAR(bin.order_index / bin.order_null, 1, 0.04) << bin.high << " " << bin.cells_within;
  const Places aligned = before(to, std::vector<Vec3d>(to.size(), Vec3d{1, 2, 3}));
  for (const CorrelationBin& bin : direction_correlation(kPeriodic, aligned, to, {20, 5, 1, 1}))
    EXPECT_NEAR(bin.order_index, 1, 1e-9);
}

TEST(NearPlaces, DoesNotDependOnThreads) {
  const Places places = scattered(500, 100, 4);
  const NearPlaces one(kPeriodic, 9, places, 1), three(kPeriodic, 9, places, 3);
  ASSERT_EQ(one.entries().size(), 500u);
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(one.entries()[i].number, three.entries()[i].number);
}

// More buckets than sites along an axis, or than int32_t holds, are never made.
TEST(NearPlaces, TakesTinyDistances) {
  const NearPlaces near(kClosed, 1e-9, Places{{5, 5, 5}, {5, 5, 5}, {5, 5, 6}}, 1);
  int found = 0;
  near.for_each({5, 5, 5}, [&](std::size_t, double) { ++found; });
  EXPECT_EQ(found, 2);
}

TEST(DiameterOf, DiscsAndBalls) {
  EXPECT_NEAR(ball_diameter(100 * std::acos(-1.0), 2), 20, 1e-12);
  EXPECT_NEAR(ball_diameter(4000 / 3.0 * std::acos(-1.0), 3), 20, 1e-12);
  EXPECT_NEAR(ball_diameter(1, 3), std::cbrt(6 / std::acos(-1.0)), 1e-12);
}

}  // namespace
}  // namespace kiln
