// Where the boxes of a step lie: boxes from origin + k spacing, along every axis.
#pragma once

#include <algorithm>
#include <cmath>

#include "model/initial/rows.hpp"

namespace kiln {

struct BoxGrid {
  struct Axis {
    int64_t first = 0;  // corner of the first box that reaches into the lattice
    int64_t spacing = 1, length = 1;

    Span box(int64_t corner, int32_t size) const {
      return {int32_t(std::max<int64_t>(0, corner)), int32_t(std::min<int64_t>(size, corner + length))};
    }
    // Boxes that reach into an axis of this size.
    int64_t count(int32_t size) const { return first < size ? (size - first - 1) / spacing + 1 : 0; }
  };
  Axis axis[3];

  // The first box begins where the region does.
  BoxGrid(const InitialStep& step, const Lattice& lattice) {
    const Bounds bounds = bounds_of(step.region, lattice);
    for (int a = 0; a < lattice.dimension; ++a) {
      Axis& result = axis[a];
      result.spacing = std::max(1, step.spacing[a]);
      result.length = std::max(1, step.box[a]);
      // An integer of 64 bits whatever the model says.
      result.first = int64_t(std::ceil(std::clamp(bounds.low[a], -0x1p40, 0x1p40)));
      if (result.first + result.length > 0) continue;
      const int64_t short_of = -(result.first + result.length);
      result.first += (short_of / result.spacing + 1) * result.spacing;
    }
  }

  double box_sites() const {
    return double(axis[0].length) * double(axis[1].length) * double(axis[2].length);
  }
};

}  // namespace kiln
