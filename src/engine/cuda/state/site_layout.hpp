// Layout of a site's word on a device.
#pragma once

#include <cstdint>

#include "core/lattice.hpp"

namespace kiln::cuda {

// The cell's id in the low bits, a stamp of Act above.
struct SiteLayout {
  int word_bytes = 4;
  int id_bits = 32;
  int max_act = 0;  // the largest Act value; 0 without Act

  int stamp_bits() const { return 8 * word_bytes - id_bits; }
  // How long stale stamps may lie before they would be taken for fresh ones.
  int64_t mcs_between_refreshes() const { return (int64_t(1) << stamp_bits()) - max_act - 1; }
};

SiteLayout site_layout(uint32_t cells, int max_act);

inline constexpr int64_t kOverrun = 64;  // bytes behind the last site that kernels may read

// Which sites a device stores, and how: all of a lattice, or those of a brick. Where that is cut along x,
// rows may be longer than what is stored, so that each begins where a sector of memory does; all bits of the
// words in between are set.
struct StoredSites {
  Lattice lattice;
  int32_t row_pitch;  // in sites
  Vec3i own;          // how many of them, along each axis, are no halo
  bool is_brick = false;

  int64_t words() const { return int64_t(row_pitch) * lattice.size.y * lattice.size.z; }
};
inline StoredSites all_sites(const Lattice& lattice) { return {lattice, lattice.size.x, lattice.size}; }
StoredSites sites_of_brick(const Lattice& stored, const Vec3i& own, bool cut_along_x, int word_bytes);

}  // namespace kiln::cuda
