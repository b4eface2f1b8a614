// From the values of an image to a yes or no for every voxel.
//
// Everything is computed in a fixed order and precision, with our own exponential: the same file gives the
// same cells on every machine.
#pragma once

#include <algorithm>
#include <vector>

#include "data/array.hpp"

namespace kiln {

// Values on a grid, x fastest.
template <class T>
struct Grid {
  Vec3i size{0, 0, 0};
  std::vector<T> values;

  Grid() = default;
  explicit Grid(const Vec3i& s) : size(s), values(std::size_t(s.x) * std::size_t(s.y) * std::size_t(s.z)) {}
  std::size_t index(int32_t x, int32_t y, int32_t z) const {
    return (std::size_t(z) * std::size_t(size.y) + std::size_t(y)) * std::size_t(size.x) + std::size_t(x);
  }
  const T& at(int32_t x, int32_t y, int32_t z) const { return values[index(x, y, z)]; }
  T& at(int32_t x, int32_t y, int32_t z) { return values[index(x, y, z)]; }
  // From a value to the next along an axis.
  std::size_t stride(int axis) const {
    return axis == 0 ? 1 : std::size_t(size.x) * (axis == 2 ? std::size_t(size.y) : 1);
  }
};
using Volume = Grid<float>;
using Mask = Grid<uint8_t>;  // 0 or 1

// The part low <= place < high of an array of shape (z, y, x), which must lie inside of it.
Volume volume_of(const Array& values, const Vec3i& low, const Vec3i& high);
// The same for integers, which may be stored as real numbers.
Grid<int64_t> labels_of(const Array& values, const Vec3i& low, const Vec3i& high);

// On a grid whose voxels are `scale` times as wide, covering the same box: the mean of what a new voxel
// covers where they are wider, linear between the nearest where they are narrower.
Volume resampled(Volume volume, const Vec3d& scale);
// The old voxel, of `length` along an axis, at the middle of the new one.
inline int32_t nearest_voxel(int32_t at, double scale, int32_t length) {
  return int32_t(std::min((double(at) + 0.5) * scale, double(length - 1)));
}
// The value of the nearest voxel.
Grid<int64_t> resampled(const Grid<int64_t>& labels, const Vec3d& scale);
// Of the grid that `resampled` makes: at least 1 along every axis.
Vec3i resampled_size(const Vec3i& size, const Vec3d& scale);

// Gaussian of this standard deviation, in voxels, along every axis; 0 leaves an axis as it is. Beyond the
// walls lies the mirror image.
void smooth(Volume& volume, const Vec3d& sigma);

// The threshold that parts the values into two classes with the least spread inside of them (Otsu 1979), from
// a histogram of 1024 bins between the smallest and the largest value.
float otsu_threshold(const Volume& volume);

// 1 where a value is above the threshold.
Mask above(const Volume& volume, float threshold);
void invert(Mask& mask);

// Clears pieces (26-connected, in a plane 8-connected) of fewer than `least` voxels; says how many voxels.
int64_t remove_specks(Mask& mask, int64_t least);

// Fills what a ball of this radius, in voxels, does not get into: dilation, then erosion. Beyond the walls
// lies the mirror image.
void close_gaps(Mask& mask, double radius);

// Where along an axis of `length` voxels the mirror images, one after the other, have place `at`.
inline int32_t mirrored(int64_t at, int32_t length) {
  const int64_t period = 2 * int64_t(length), place = ((at % period) + period) % period;
  return int32_t(place < length ? place : period - 1 - place);
}

}  // namespace kiln
