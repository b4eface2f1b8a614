// From the values of an image to a yes or no for every voxel.
//
// Everything is computed in a fixed order and precision, with our own exponential: the same file gives the
// same cells on every machine.
#pragma once

#include "core/site_bits.hpp"
#include "data/array.hpp"
#include "data/image/planes.hpp"

namespace kiln {

// The part low <= place < high of an array of shape (z, y, x), which must lie inside of it.
Volume volume_of(const Array& values, const Vec3i& low, const Vec3i& high);
// The same for integers, which may be stored as real numbers.
Grid<int64_t> labels_of(const Array& values, const Vec3i& low, const Vec3i& high);

// The old voxel, of `length` along an axis, at the middle of the new one.
inline int32_t nearest_voxel(int32_t at, double scale, int32_t length) {
  return int32_t(std::min((double(at) + 0.5) * scale, double(length - 1)));
}
// The value of the nearest voxel.
Grid<int64_t> resampled(const Grid<int64_t>& labels, const Vec3d& scale);

// The threshold that parts the values into two classes with the least spread inside of them (Otsu 1979), from
// a histogram of 1024 bins between the smallest and the largest value. Visits all of them twice.
float otsu_threshold(const Planes& planes);

// Clears pieces (26-connected, in a plane 8-connected) of fewer than `least` sites; says how many sites.
// Beside the mask only pieces that are still small, and reach the last plane that was looked at, are in
// memory.
int64_t remove_specks(SiteBits& mask, int64_t least);

// Fills what a ball of this radius, in sites, does not get into: dilation, then erosion. Beyond the walls
// lies the mirror image.
void close_gaps(SiteBits& mask, double radius);

}  // namespace kiln
