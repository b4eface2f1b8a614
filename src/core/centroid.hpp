// The arithmetic of centroids over periodic axes (see Cells::Centroid).
#pragma once

#include "core/lattice.hpp"

namespace kiln {

// site - anchor along one axis, as it enters Centroid::sum: wrapped into [-L/2, L/2) where the axis is
// periodic. The anchor may lie boxes away.
KILN_HD inline int32_t offset_from_anchor(const Lattice& lattice, int axis, int32_t anchor, int32_t site) {
  const int32_t d = site - anchor, length = lattice.size[axis], half = length / 2;
  if (!lattice.periodic[axis] || uint32_t(d + half) < uint32_t(length)) [[likely]]
    return d;
  return (((d + half) % length) + length) % length - half;
}

KILN_HD inline Vec3i offset_from_anchor(const Lattice& lattice, const Vec3i& anchor, const Vec3i& site) {
  return {offset_from_anchor(lattice, 0, anchor.x, site.x), offset_from_anchor(lattice, 1, anchor.y, site.y),
          offset_from_anchor(lattice, 2, anchor.z, site.z)};
}

KILN_HD inline Vec3d centroid_of(const Vec3i& anchor, const Vec3<int64_t>& sum, int32_t volume) {
  const double sites = double(volume);
  return {anchor.x + double(sum.x) / sites, anchor.y + double(sum.y) / sites,
          anchor.z + double(sum.z) / sites};
}

// A centroid sum is right only while the cell stays within half a box of its anchor, so a cell that has moved
// an eighth of the box along a periodic axis gets a new one. True where it did: its sum is then to be counted
// anew from the lattice, which keeps it exact even for a cell that is wider than half the box.
KILN_HD inline bool move_anchor(const Lattice& lattice, int64_t volume, Vec3i& anchor, Vec3<int64_t>& sum) {
  if (volume == 0) return false;
  bool far = false;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const int64_t distance = sum[axis] < 0 ? -sum[axis] : sum[axis];
    far |= lattice.periodic[axis] && 8 * distance > volume * lattice.size[axis];
  }
  if (!far) return false;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    if (!lattice.periodic[axis]) continue;
    const int64_t twice = 2 * sum[axis] + volume, whole = 2 * volume;  // rounded to the nearest site
    anchor[axis] += int32_t(twice >= 0 ? twice / whole : -((-twice + whole - 1) / whole));
  }
  sum = {};
  return true;
}

}  // namespace kiln
