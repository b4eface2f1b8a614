// A box of sites.
#pragma once

#include "core/types.hpp"

namespace kiln {

// Sites low <= place < high.
struct Box {
  Vec3i low{0, 0, 0}, high{0, 0, 0};

  KILN_HD Vec3i size() const { return high - low; }
  KILN_HD bool empty() const { return high.x <= low.x || high.y <= low.y || high.z <= low.z; }
  KILN_HD bool contains(const Vec3i& p) const {
    return p.x >= low.x && p.x < high.x && p.y >= low.y && p.y < high.y && p.z >= low.z && p.z < high.z;
  }
  KILN_HD Box shifted(const Vec3i& by) const { return {low + by, high + by}; }
  // Grows until it holds the other, too.
  KILN_HD void include(const Box& other) {
    for (int axis = 0; axis < 3; ++axis) {
      if (other.low[axis] < low[axis]) low[axis] = other.low[axis];
      if (other.high[axis] > high[axis]) high[axis] = other.high[axis];
    }
  }
  KILN_HD Box within(const Box& other) const {
    Box result;
    for (int axis = 0; axis < 3; ++axis) {
      result.low[axis] = low[axis] > other.low[axis] ? low[axis] : other.low[axis];
      result.high[axis] = high[axis] < other.high[axis] ? high[axis] : other.high[axis];
    }
    return result;
  }
};

}  // namespace kiln
