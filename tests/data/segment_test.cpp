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

// Calls visit(place) for all places of a grid.
template <class Visit>
void for_places(const Vec3i& size, const Visit& visit) {
  for (int32_t z = 0; z < size.z; ++z)
    for (int32_t y = 0; y < size.y; ++y)
      for (int32_t x = 0; x < size.x; ++x) visit(Vec3i{x, y, z});
}

SiteBits random_mask(const Vec3i& size, double share, uint64_t seed) {
  SiteBits mask(size);
  const Volume v = random_volume(size, seed);
  for_places(size, [&](const Vec3i& p) { mask.set(p, double(v.at(p.x, p.y, p.z)) < share); });
  return mask;
}

Volume resampled(const Volume& volume, const Vec3d& scale) {
  return gathered(resampled(planes_of(volume), scale));
}
Volume smoothed(const Volume& volume, const Vec3d& sigma) {
  return gathered(smoothed(planes_of(volume), sigma));
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
  const Volume after = smoothed(before, {1.7, 0, 2});
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
  for (const float v : smoothed(level, {2, 2, 2}).values) EXPECT_NEAR(v, 3, 1e-5);
}

// Along z, where planes come and go, as along x and y, to the last bit; where the Gaussian is longer than the
// volume, too.
TEST(Segment, PlanesComeToTheSameAlongAllAxes) {
  const Vec3i size{9, 7, 12};
  const Volume along_z = random_volume(size, 6);
  Volume along_x({size.z, size.y, size.x});
  for_places(size, [&](const Vec3i& p) { along_x.at(p.z, p.y, p.x) = along_z.at(p.x, p.y, p.z); });
  for (const double sigma : {0.4, 2.0, 7.0}) {
    const Volume z = smoothed(along_z, {0, 0, sigma}), x = smoothed(along_x, {sigma, 0, 0});
    for_places(size, [&](const Vec3i& p) { ASSERT_EQ(z.at(p.x, p.y, p.z), x.at(p.z, p.y, p.x)) << sigma; });
  }
  for (const double scale : {0.3, 1.7, 5.0}) {
    const Volume z = resampled(along_z, {1, 1, scale}), x = resampled(along_x, {scale, 1, 1});
    ASSERT_EQ(z.size, (Vec3i{x.size.z, x.size.y, x.size.x}));
    for_places(z.size, [&](const Vec3i& p) { ASSERT_EQ(z.at(p.x, p.y, p.z), x.at(p.z, p.y, p.x)) << scale; });
  }
}

TEST(Segment, KeepsOnlyTheWindowOfPlanesThatIsNeeded) {
  int64_t made = 0, visited = 0, most = 0;
  const Planes planes{{4, 4, 300}, [&](const Planes::Visit& visit) {
                        for (int32_t z = 0; z < 300; ++z) {
                          ++made;
                          visit(z, Volume({4, 4, 1}));
                        }
                      }};
  smoothed(planes, {0, 0, 2}).each([&](int32_t, const Volume&) {
    ++visited;
    most = std::max(most, made - visited);
  });
  EXPECT_EQ(visited, 300);
  EXPECT_EQ(most, reach_of_smoothing(2));  // ahead of what is asked for
}

TEST(Segment, OtsuPartsTwoClasses) {
  Volume v({1000, 1, 1});
  for (std::size_t i = 0; i < 1000; ++i)
    v.values[i] =
        (i < 700 ? 10.0f : 50.0f) + 8 * float(unit_double(draw(5, Stream::initial_seeds, i, 0).ab()));
  const float threshold = otsu_threshold(planes_of(v));
  EXPECT_GT(threshold, 18);
  EXPECT_LT(threshold, 50);
  EXPECT_EQ(std::count_if(v.values.begin(), v.values.end(), [&](float value) { return value > threshold; }),
            300);
  const Volume level({4, 1, 1});
  EXPECT_EQ(otsu_threshold(planes_of(level)), 0);  // nothing to part: nothing lies above
}

// Pieces found by spreading the smallest index until nothing changes.
Grid<std::size_t> pieces_of(const SiteBits& mask) {
  const Vec3i& size = mask.size();
  Grid<std::size_t> piece(size);
  std::iota(piece.values.begin(), piece.values.end(), std::size_t(0));
  for (bool changed = true; changed;) {
    changed = false;
    for_places(size, [&](const Vec3i& place) {
      for (int32_t d = 0; d < 27; ++d) {
        const Vec3i other = place + Vec3i{d % 3 - 1, d / 3 % 3 - 1, d / 9 - 1};
        bool inside = true;
        for (int axis = 0; axis < 3; ++axis) inside = inside && other[axis] >= 0 && other[axis] < size[axis];
        if (!inside || !mask[place] || !mask[other]) continue;
        std::size_t &a = piece.at(place.x, place.y, place.z), b = piece.at(other.x, other.y, other.z);
        changed = changed || b < a;
        a = std::min(a, b);
      }
    });
  }
  return piece;
}

TEST(Segment, SpecksAreThePiecesBelowTheLeastSize) {
  int64_t all = 0;
  for (const Vec3i& size : {Vec3i{14, 11, 1}, Vec3i{9, 8, 7}, Vec3i{70, 3, 9}, Vec3i{1, 1, 40}})
    for (const double share : {0.06, 0.12, 0.22, 0.5})
      for (const int64_t least : {2, 4, 9, 40}) {
        const SiteBits before = random_mask(size, share, 8);
        const Grid<std::size_t> piece = pieces_of(before);
        std::vector<int64_t> sites(piece.values.size(), 0);
        for_places(size, [&](const Vec3i& p) { sites[piece.at(p.x, p.y, p.z)] += before[p] ? 1 : 0; });
        SiteBits mask = before;
        const int64_t removed = remove_specks(mask, least);
        int64_t expected = 0;
        for_places(size, [&](const Vec3i& p) {
          const bool small = before[p] && sites[piece.at(p.x, p.y, p.z)] < least;
          expected += small ? 1 : 0;
          ASSERT_EQ(mask[p], before[p] && !small) << p.x << " " << p.y << " " << p.z << ", " << share;
        });
        EXPECT_EQ(removed, expected);
        all += expected;
      }
  EXPECT_GT(all, 500);
}

// Two arms that meet in the last plane only, and two that do not.
TEST(Segment, ArmsThatMeetLateAreOnePiece) {
  SiteBits mask({9, 1, 20});
  for (int32_t z = 0; z < 20; ++z)
    for (const int32_t x : {0, 2, 5, 8}) mask.set({x, 0, z}, true);
  mask.set({1, 0, 19}, true);
  const SiteBits before = mask;
  EXPECT_EQ(remove_specks(mask, 41), 40);
  for_places(mask.size(), [&](const Vec3i& p) { EXPECT_EQ(mask[p], before[p] && p.x < 5); });
}

// Against all pairs of voxels.
TEST(Segment, ClosingFillsWhatABallDoesNotGetInto) {
  for (const double radius : {1.0, 1.5, 2.3}) {
    const Vec3i size{10, 9, 8};
    const SiteBits before = random_mask(size, 0.06, 4);
    SiteBits after = before;
    close_gaps(after, radius);
    const auto near = [&](const SiteBits& mask, const Vec3i& place, bool value) {
      bool found = false;
      for_places(size, [&](const Vec3i& other) {
        const Vec3i d = other - place;
        found =
            found || (mask[other] == value && d.x * d.x + d.y * d.y + d.z * d.z <= float(radius * radius));
      });
      return found;
    };
    SiteBits dilated = before;
    for_places(size, [&](const Vec3i& p) { dilated.set(p, near(before, p, true)); });
    int filled = 0;
    for_places(size, [&](const Vec3i& p) {
      ASSERT_EQ(after[p], !near(dilated, p, false));
      filled += after[p] && !before[p] ? 1 : 0;
    });
    EXPECT_GT(filled, 0);
  }
}

}  // namespace
}  // namespace kiln
