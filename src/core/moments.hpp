// Second moments of a cell: sums over its sites of the products of their offsets from the cell's anchor.
// Exact, and with volume and centroid sums all that is needed for its ellipsoid.
#pragma once

#include "core/types.hpp"

namespace kiln {

struct Moments {
  static constexpr int kMost = 6;
  int64_t of[kMost] = {};  // xx, yy, xy; in 3-D also zz, xz, yz

  KILN_HD static constexpr int count(int dimension) { return dimension == 2 ? 3 : 6; }
  // What a site at this offset adds to sum number k.
  KILN_HD static constexpr int64_t part(int k, const Vec3i& offset) {
    const int64_t x = offset.x, y = offset.y, z = offset.z;
    return k == 0 ? x * x : k == 1 ? y * y : k == 2 ? x * y : k == 3 ? z * z : k == 4 ? x * z : y * z;
  }
  KILN_HD void add(const Vec3i& offset, int sign, int dimension) {
    for (int k = 0; k < count(dimension); ++k) of[k] += sign * part(k, offset);
  }
  KILN_HD constexpr bool operator==(const Moments& other) const {
    for (int k = 0; k < kMost; ++k)
      if (of[k] != other.of[k]) return false;
    return true;
  }
};

// V^2 times a covariance of the sites' places: number k of a cell with `volume` sites, whose offsets add up
// to a and b along the two axes. The products may exceed 64 bits; their difference does not, and is what
// wrapping leaves.
KILN_HD inline int64_t covariance_numerator(int64_t volume, const Moments& moments, int k, int64_t a,
                                            int64_t b) {
  return int64_t(uint64_t(volume) * uint64_t(moments.of[k]) - uint64_t(a) * uint64_t(b));
}

}  // namespace kiln
