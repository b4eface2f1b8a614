// A lattice as it is seen from afar: every step-th site along each axis, from the middle of the first step
// on.
#pragma once

#include "core/box.hpp"
#include "core/lattice.hpp"

namespace kiln {

// Where site number `at` of a row lies; what is left at the end of an axis shows its last site.
KILN_HD inline int32_t thinned_place(int32_t at, int32_t step, int32_t length) {
  const int32_t place = at * step + step / 2;
  return place < length ? place : length - 1;
}

struct Thinning {
  int32_t step;
  Vec3i whole, size;  // of the lattice, and of what is seen of it

  Thinning(const Lattice& lattice, int32_t step_) : step(step_), whole(lattice.size) {
    for (int axis = 0; axis < 3; ++axis) size[axis] = (whole[axis] + step - 1) / step;
  }

  int64_t sites() const { return int64_t(size.x) * size.y * size.z; }
  int32_t place(int32_t at, int axis) const { return thinned_place(at, step, whole[axis]); }
  // Which of the sites that are seen lie in a box of the lattice.
  Box within(const Box& box) const {
    Box seen;
    for (int axis = 0; axis < 3; ++axis) {
      int32_t low = 0;
      while (low < size[axis] && place(low, axis) < box.low[axis]) ++low;
      int32_t high = low;
      while (high < size[axis] && place(high, axis) < box.high[axis]) ++high;
      seen.low[axis] = low;
      seen.high[axis] = high;
    }
    return seen;
  }
};

}  // namespace kiln
