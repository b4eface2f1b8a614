// How a site more or less changes a cell's sums: the one place that engines, recounts and edits go through.
#pragma once

#include "core/cells.hpp"

namespace kiln {

// The cell gains (sign +1) or loses (-1) the site at `place`. `kMoments` may be false where the cells have
// none.
template <int Dim, bool kMoments = true>
KILN_HOT void gain_site(const Lattice& lattice, Cells& cells, CellId cell, const Vec3i& place, int sign,
                        int32_t perimeter_change) {
  Cells::Extent& extent = cells.extent[cell];
  Cells::Centroid& centroid = cells.centroid[cell];
  extent.volume += sign;
  extent.perimeter += perimeter_change;
  for (int axis = 0; axis < Dim; ++axis)
    centroid.sum[axis] += sign * offset_from_anchor(lattice, axis, centroid.anchor[axis], place[axis]);
  if (kMoments && !cells.moments.empty())
    cells.moments[cell].add(offset_from_anchor(lattice, centroid.anchor, place), sign, lattice.dimension);
}

}  // namespace kiln
