// The box in which everything happens: any size per axis, each axis periodic or closed.
#pragma once

#include "core/types.hpp"

namespace kiln {

struct Lattice {
  Vec3i size{1, 1, 1};
  Vec3<bool> periodic{false, false, false};
  int dimension = 3;  // 2: size.z is 1 and z is closed

  KILN_HD constexpr Site sites() const { return Site(size.x) * size.y * size.z; }

  KILN_HD Site index(const Vec3i& p) const { return (Site(p.z) * size.y + p.y) * size.x + p.x; }

  KILN_HD Vec3i position(Site site) const {
    const Site row = site / size.x;
    return {int32_t(site - row * size.x), int32_t(row % size.y), int32_t(row / size.y)};
  }

  KILN_HD bool contains(int axis, int32_t at) const { return uint32_t(at) < uint32_t(size[axis]); }
  KILN_HD bool contains(const Vec3i& p) const {
    return contains(0, p.x) && contains(1, p.y) && contains(2, p.z);
  }

  // Brings a place at most one box away back inside; false where it lies beyond a closed wall.
  KILN_HD bool wrap(Vec3i& p) const {
    for (int axis = 0; axis < 3; ++axis) {
      const int32_t length = size[axis];
      if (p[axis] >= 0 && p[axis] < length) continue;
      if (!periodic[axis]) return false;
      p[axis] = ((p[axis] % length) + length) % length;
    }
    return true;
  }

  // to - from along an axis; on a periodic one the image in [-L/2, L/2). Both lie inside the lattice.
  KILN_HD int32_t difference(int axis, int32_t from, int32_t to) const {
    int32_t d = to - from;
    if (periodic[axis]) {
      const int32_t length = size[axis];
      if (2 * int64_t(d) < -int64_t(length))
        d += length;
      else if (2 * int64_t(d) >= int64_t(length))
        d -= length;
    }
    return d;
  }

  KILN_HD Vec3i difference(const Vec3i& from, const Vec3i& to) const {
    return {difference(0, from.x, to.x), difference(1, from.y, to.y), difference(2, from.z, to.z)};
  }
};

}  // namespace kiln
