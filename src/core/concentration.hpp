// The concentration at a site, interpolated between the centres of voxels, which are cubes of sites. Read by
// both compilers.
#pragma once

#include "core/lattice.hpp"

namespace kiln {

// Voxels of a lattice, `coarsen` sites along each edge; the last ones may be cut.
KILN_HD constexpr Lattice voxels_of(const Lattice& sites, int32_t coarsen) {
  Lattice voxels = sites;
  for (int axis = 0; axis < sites.dimension; ++axis)
    voxels.size[axis] = (sites.size[axis] + coarsen - 1) / coarsen;
  return voxels;
}

// Copy attempts read values that have one more layer of voxels around them, so that they need not ask where
// the box ends. It repeats what lies behind a periodic side, or the last voxel before a wall.
KILN_HD constexpr Lattice padded(const Lattice& voxels) {
  Lattice around = voxels;
  for (int axis = 0; axis < voxels.dimension; ++axis) around.size[axis] = voxels.size[axis] + 2;
  return around;
}
// The voxel that a place among them repeats.
KILN_HD constexpr Vec3i voxel_at_padded(const Lattice& voxels, Vec3i place) {
  for (int axis = 0; axis < voxels.dimension; ++axis) {
    const int32_t size = voxels.size[axis], voxel = place[axis] - 1;
    const bool periodic = voxels.periodic[axis];
    place[axis] = voxel < 0 ? (periodic ? size - 1 : 0) : voxel >= size ? (periodic ? 0 : size - 1) : voxel;
  }
  return place;
}

// The first of two voxels along an axis between whose centres a site lies, among the padded ones, and the
// part of the way to the second. A site x lies at (2 x + 1 - f) / (2 f) voxels from the first centre: parts
// are multiples of 1/(2 f), exact in a float.
struct Between {
  int32_t voxel;
  float part;

  KILN_HD Between(int32_t site, int32_t coarsen) {
    const auto along = uint32_t(2 * site + 1 + coarsen), width = uint32_t(2 * coarsen);
    voxel = int32_t(along / width);
    part = float(int32_t(along % width)) / float(int32_t(width));
  }
};

// A substance as copy attempts see it: frozen for the MCS.
struct SubstanceView {
  const float* values = nullptr;  // by padded voxel
  Lattice voxels;
  int32_t coarsen = 1;
};

// `values` in place of its own.
template <int Dim>
KILN_HD inline float concentration_at(const SubstanceView& substance, const float* values,
                                      const Vec3i& site) {
  const Lattice around = padded(substance.voxels);
  const Between x(site.x, substance.coarsen), y(site.y, substance.coarsen);
  const auto mixed = [](float a, float b, float part) { return a + part * (b - a); };
  const auto line = [&](const float* first) { return mixed(first[0], first[1], x.part); };
  const auto plane = [&](int32_t row) {
    const float* const first = values + (int64_t(row) * around.size.x + x.voxel);
    return mixed(line(first), line(first + around.size.x), y.part);
  };
  if constexpr (Dim == 2) return plane(y.voxel);
  const Between z(site.z, substance.coarsen);
  const int32_t row = z.voxel * around.size.y + y.voxel;
  return mixed(plane(row), plane(row + around.size.y), z.part);
}

template <int Dim>
KILN_HD inline float concentration_at(const SubstanceView& substance, const Vec3i& site) {
  return concentration_at<Dim>(substance, substance.values, site);
}

}  // namespace kiln
