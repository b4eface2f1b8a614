// Image operations against plain evaluations of what they say they do.
#include "data/image/segment.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/random.hpp"

namespace kiln {
namespace {

Volume random_volume(const Vec3i& size, uint64_t seed) {
  Volume v(size);
  for (std::size_t i = 0; i < v.values.size(); ++i)
    v.values[i] = float(unit_double(draw(seed, Stream::initial_seeds, i, 0).ab()));
  return v;
}

Mask random_mask(const Vec3i& size, double share, uint64_t seed) {
  Mask mask(size);
  const Volume v = random_volume(size, seed);
  for (std::size_t i = 0; i < mask.values.size(); ++i) mask.values[i] = double(v.values[i]) < share ? 1 : 0;
  return mask;
}

Array array_of(const std::vector<int64_t>& shape) {
  Array a{shape, Array::Element::uint16, {}};
  const auto count =
      std::size_t(std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()));
  for (std::size_t i = 0; i < count; ++i) {
    a.bytes.push_back(uint8_t(i & 0xFF));
    a.bytes.push_back(uint8_t(i >> 8));
  }
  return a;
}

TEST(Segment, TakesTheAskedPartOfAnArray) {
  const Array a = array_of({3, 4, 5});
  const Volume v = volume_of(a, {1, 2, 0}, {4, 4, 2});
  ASSERT_EQ(v.size, (Vec3i{3, 2, 2}));
  EXPECT_EQ(v.at(0, 0, 0), 11.0f);
  EXPECT_EQ(v.at(2, 1, 1), 38.0f);
  EXPECT_EQ(labels_of(a, {1, 2, 0}, {4, 4, 2}).at(2, 1, 1), 38);
}

TEST(Segment, ResamplingKeepsMeansAndRamps) {
  const Volume fine = random_volume({12, 8, 6}, 1);
  const Volume coarse = resampled(fine, {2, 2, 3});
  ASSERT_EQ(coarse.size, (Vec3i{6, 4, 2}));
  double mean = 0;
  for (int32_t z = 3; z < 6; ++z)
    for (int32_t y = 2; y < 4; ++y)
      for (int32_t x = 4; x < 6; ++x) mean += double(fine.at(x, y, z)) / 12;
  EXPECT_NEAR(coarse.at(2, 1, 1), mean, 1e-6);

  Volume ramp({8, 1, 1});
  for (int32_t x = 0; x < 8; ++x) ramp.at(x, 0, 0) = float(x);
  const Volume finer = resampled(ramp, {0.5, 1, 1});
  ASSERT_EQ(finer.size.x, 16);
  for (int32_t x = 1; x < 15; ++x) EXPECT_NEAR(finer.at(x, 0, 0), 0.5 * (x + 0.5) - 0.5, 1e-6) << x;
  EXPECT_EQ(finer.at(0, 0, 0), 0.0f);
  EXPECT_EQ(finer.at(15, 0, 0), 7.0f);

  // One and a half voxels per site: 1, then half of 2 and all of 3 ...
  Volume odd({3, 1, 1});
  odd.values = {3, 6, 12};
  const Volume halves = resampled(odd, {1.5, 1, 1});
  ASSERT_EQ(halves.size.x, 2);
  EXPECT_NEAR(halves.at(0, 0, 0), (3 + 0.5 * 6) / 1.5, 1e-6);
  EXPECT_NEAR(halves.at(1, 0, 0), (0.5 * 6 + 12) / 1.5, 1e-6);
}

TEST(Segment, LabelsAreResampledToTheNearest) {
  Grid<int64_t> labels({4, 1, 1});
  labels.values = {7, 7, 9, 9};
  EXPECT_EQ(resampled(labels, {0.5, 1, 1}).values, (std::vector<int64_t>{7, 7, 7, 7, 9, 9, 9, 9}));
  EXPECT_EQ(resampled(labels, {2, 1, 1}).values, (std::vector<int64_t>{7, 9}));
}

TEST(Segment, MirrorImagesFollowEachOther) {
  std::vector<int32_t> places;
  for (int64_t i = -4; i < 8; ++i) places.push_back(mirrored(i, 3));
  EXPECT_EQ(places, (std::vector<int32_t>{2, 2, 1, 0, 0, 1, 2, 2, 1, 0, 0, 1}));
  EXPECT_EQ(mirrored(5, 1), 0);
}

// Against the sum over a long kernel of std::exp; the cut at 3.7 sigma costs less than 1e-3.
TEST(Segment, SmoothingIsAGaussianWithMirroredWalls) {
  const Volume before = random_volume({23, 9, 1}, 3);
  Volume after = before;
  smooth(after, {1.7, 0, 2});
  for (int32_t y = 0; y < 9; ++y)
    for (int32_t x = 0; x < 23; ++x) {
      double sum = 0, weights = 0;
      for (int k = -20; k <= 20; ++k) {
        const double w = std::exp(-0.5 * k * k / (1.7 * 1.7));
        sum += w * double(before.at(mirrored(x + k, 23), y, 0));
        weights += w;
      }
      ASSERT_NEAR(after.at(x, y, 0), sum / weights, 1e-3) << x << ", " << y;
    }
  Volume level({5, 5, 5});
  std::fill(level.values.begin(), level.values.end(), 3.0f);
  smooth(level, {2, 2, 2});
  for (const float v : level.values) EXPECT_NEAR(v, 3, 1e-5);
}

TEST(Segment, OtsuPartsTwoClasses) {
  Volume v({1000, 1, 1});
  for (std::size_t i = 0; i < 1000; ++i)
    v.values[i] =
        (i < 700 ? 10.0f : 50.0f) + 8 * float(unit_double(draw(5, Stream::initial_seeds, i, 0).ab()));
  const float threshold = otsu_threshold(v);
  EXPECT_GT(threshold, 18);
  EXPECT_LT(threshold, 50);
  const Mask mask = above(v, threshold);
  EXPECT_EQ(std::count(mask.values.begin(), mask.values.end(), uint8_t(1)), 300);
  Volume level({4, 1, 1});
  EXPECT_EQ(otsu_threshold(level), 0);  // nothing to part: nothing lies above
}

// Pieces found by spreading the smallest index until nothing changes.
TEST(Segment, SpecksAreThePiecesBelowTheLeastSize) {
  for (const Vec3i& size : {Vec3i{14, 11, 1}, Vec3i{9, 8, 7}}) {
    Mask mask = random_mask(size, 0.22, 8);
    const Mask before = mask;
    std::vector<std::size_t> piece(mask.values.size());
    std::iota(piece.begin(), piece.end(), std::size_t(0));
    for (bool changed = true; changed;) {
      changed = false;
      for (int32_t z = 0; z < size.z; ++z)
        for (int32_t y = 0; y < size.y; ++y)
          for (int32_t x = 0; x < size.x; ++x)
            for (int32_t d = 0; d < 27; ++d) {
              const int32_t p = x + d % 3 - 1, q = y + d / 3 % 3 - 1, r = z + d / 9 - 1;
              if (p < 0 || q < 0 || r < 0 || p >= size.x || q >= size.y || r >= size.z) continue;
              if (before.at(x, y, z) == 0 || before.at(p, q, r) == 0) continue;
              std::size_t &a = piece[before.index(x, y, z)], b = piece[before.index(p, q, r)];
              if (b < a) {
                a = b;
                changed = true;
              }
            }
    }
    const int64_t removed = remove_specks(mask, 4);
    int64_t expected = 0;
    for (std::size_t i = 0; i < mask.values.size(); ++i) {
      const bool small =
          before.values[i] == 1 && std::count_if(piece.begin(), piece.end(), [&](std::size_t k) {
                                     return k == piece[i] && before.values[k] == 1;
                                   }) < 4;
      expected += small ? 1 : 0;
      ASSERT_EQ(mask.values[i], small ? 0 : before.values[i]) << i;
    }
    EXPECT_EQ(removed, expected);
    EXPECT_GT(expected, 0);
  }
}

// Against all pairs of voxels.
TEST(Segment, ClosingFillsWhatABallDoesNotGetInto) {
  for (const double radius : {1.0, 1.5, 2.3}) {
    const Mask before = random_mask({10, 9, 8}, 0.06, 4);
    Mask after = before;
    close_gaps(after, radius);
    const auto near = [radius](const Mask& mask, int32_t x, int32_t y, int32_t z, uint8_t value) {
      for (int32_t r = 0; r < 8; ++r)
        for (int32_t q = 0; q < 9; ++q)
          for (int32_t p = 0; p < 10; ++p)
            if (mask.at(p, q, r) == value &&
                (p - x) * (p - x) + (q - y) * (q - y) + (r - z) * (r - z) <= float(radius * radius))
              return true;
      return false;
    };
    Mask dilated = before;
    for (int32_t z = 0; z < 8; ++z)
      for (int32_t y = 0; y < 9; ++y)
        for (int32_t x = 0; x < 10; ++x) dilated.at(x, y, z) = near(before, x, y, z, 1) ? 1 : 0;
    int filled = 0;
    for (int32_t z = 0; z < 8; ++z)
      for (int32_t y = 0; y < 9; ++y)
        for (int32_t x = 0; x < 10; ++x) {
          ASSERT_EQ(after.at(x, y, z), near(dilated, x, y, z, 0) ? 0 : 1);
          filled += after.at(x, y, z) - before.at(x, y, z);
        }
    EXPECT_GT(filled, 0);
  }
}

}  // namespace
}  // namespace kiln
