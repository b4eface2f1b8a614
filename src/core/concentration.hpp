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

// The two voxels along an axis between whose centres a site lies, and the part of the way to the second.
// Beyond the last centre before a wall both are the last voxel.
struct Between {
  int32_t low, high;
  float part;
};
// A site x lies at (2 x + 1 - f) / (2 f) voxels from the first centre: parts are multiples of 1/(2 f), exact
// in a float.
KILN_HD inline Between between_voxels(int32_t site, int32_t voxels, bool periodic, int32_t coarsen) {
  const int32_t twice = 2 * site + 1 - coarsen, width = 2 * coarsen;
  const int32_t low = twice >= 0 ? twice / width : -1;  // twice > -width
  Between result{low, low + 1, float(twice - low * width) / float(width)};
  if (result.low < 0) result.low = periodic ? voxels - 1 : 0;
  if (result.high >= voxels) result.high = periodic ? 0 : voxels - 1;
  return result;
}

// A substance as copy attempts see it: frozen for the MCS.
struct SubstanceView {
  const float* values = nullptr;  // by voxel
  Lattice voxels;
  int32_t coarsen = 1;
};

// `values` in place of its own.
template <int Dim>
KILN_HD inline float concentration_at(const SubstanceView& substance, const float* values,
                                      const Vec3i& site) {
  const Lattice& voxels = substance.voxels;
  const int32_t coarsen = substance.coarsen;
  const auto mixed = [](float a, float b, float part) { return a + part * (b - a); };
  const Between x = between_voxels(site.x, voxels.size.x, voxels.periodic.x, coarsen);
  const Between y = between_voxels(site.y, voxels.size.y, voxels.periodic.y, coarsen);
  const auto row = [&](int32_t j, int32_t k) {
    const float* const first = values + voxels.index({0, j, k});
    return mixed(first[x.low], first[x.high], x.part);
  };
  const auto plane = [&](int32_t k) { return mixed(row(y.low, k), row(y.high, k), y.part); };
  if constexpr (Dim == 2) return plane(0);
  const Between z = between_voxels(site.z, voxels.size.z, voxels.periodic.z, coarsen);
  return mixed(plane(z.low), plane(z.high), z.part);
}

template <int Dim>
KILN_HD inline float concentration_at(const SubstanceView& substance, const Vec3i& site) {
  return concentration_at<Dim>(substance, substance.values, site);
}

}  // namespace kiln
