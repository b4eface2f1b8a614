// How a state lies in the lattice that its cells live in: as a whole, or as a brick of it.
#pragma once

#include "core/box.hpp"
#include "core/lattice.hpp"

namespace kiln {

struct SiteFrame {
  Lattice lattice;
  Vec3i origin{0, 0, 0};  // of the state's sites
  Box own;                // sites that this state alone counts, in its own coordinates

  // Rows of own sites along x.
  int64_t rows() const { return int64_t(own.size().y) * own.size().z; }
  // The first site of one, as the state numbers it.
  Vec3i row(int64_t number) const {
    return own.low + Vec3i{0, int32_t(number % own.size().y), int32_t(number / own.size().y)};
  }
};
inline SiteFrame frame_of_whole(const Lattice& lattice) { return {lattice, {}, {{0, 0, 0}, lattice.size}}; }

}  // namespace kiln
