// What is known of every cell: integer tables, kept up to date copy by copy, that always equal a recount.
#pragma once

#include <vector>

#include "core/centroid.hpp"
#include "core/lattice.hpp"
#include "core/types.hpp"

namespace kiln {

// Index 0 is the medium: it has a type (0) and nothing else is tracked. Neither is it for frozen cells.
struct Cells {
  struct Extent {
    int32_t volume = 0;
    int32_t perimeter = 0;  // (site of the cell, neighbour not of the cell) pairs
    bool operator==(const Extent&) const = default;
  };
  // The centroid is anchor + sum / volume. The anchor is a place near the cell, unwrapped: it counts the
  // boxes that the cell has crossed. `sum` adds, over the sites, the wrapped difference site - anchor.
  struct Centroid {
    Vec3i anchor;
    Vec3<int64_t> sum;
    bool operator==(const Centroid&) const = default;
  };

  std::vector<TypeId> type;
  std::vector<Extent> extent;
  std::vector<Centroid> centroid;

  CellId count() const { return CellId(type.size()); }  // with the medium

  CellId add(TypeId type_of_cell) {
    type.push_back(type_of_cell);
    extent.emplace_back();
    centroid.emplace_back();
    return count() - 1;
  }

  // In lattice units, unwrapped; a site's place is its integer coordinate.
  Vec3d position(CellId cell) const {
    return centroid_of(centroid[cell].anchor, centroid[cell].sum, extent[cell].volume);
  }
};

}  // namespace kiln
