// Which places around a site are its neighbours.
#pragma once

#include "core/lattice.hpp"
#include "core/types.hpp"

namespace kiln {

// The Moore neighbours, 8 or 26, in raster order without the centre: z slowest, x fastest. A direction is an
// index into this list.
template <int Dim>
struct Moore {
  static constexpr int kCount = Dim == 2 ? 8 : 26;

  KILN_HD static constexpr Vec3i offset(int direction) {
    const int block = direction + (direction >= kCount / 2 ? 1 : 0);  // step over the centre
    return {block % 3 - 1, (block / 3) % 3 - 1, Dim == 2 ? 0 : block / 9 - 1};
  }
};

// A neighbourhood of any reach, for adhesion and perimeter. The order counts shells of equal distance,
// nearest first: 1 is von Neumann; Moore is order 2 in 2-D and 3 in 3-D.
inline constexpr int kMaxOrder = 6;
inline constexpr int kMaxNeighbours = 128;

struct Neighbourhood {
  int count = 0;
  int reach = 1;  // the largest offset along an axis
  Vec3<int8_t> offset[kMaxNeighbours] = {};

  KILN_HD bool is_moore(int dimension) const { return reach == 1 && count == (dimension == 2 ? 8 : 26); }
};

// All offsets of the `order` nearest shells, in raster order.
KILN_HD constexpr Neighbourhood neighbourhood_of_order(int dimension, int order) {
  int limit = 0;  // the squared distance of the last shell
  for (int shell = 0; shell < order;) {
    ++limit;
    bool exists = false;
    for (int z = 0; z <= (dimension == 3 ? 4 : 0); ++z)
      for (int y = 0; y <= 4; ++y)
        for (int x = 0; x <= 4; ++x) exists |= x * x + y * y + z * z == limit;
    shell += exists ? 1 : 0;
  }
  Neighbourhood result;
  const int depth = dimension == 3 ? 3 : 0;
  for (int z = -depth; z <= depth; ++z)
    for (int y = -3; y <= 3; ++y)
      for (int x = -3; x <= 3; ++x) {
        const int distance = x * x + y * y + z * z;
        if (distance == 0 || distance > limit) continue;
        result.offset[result.count++] = {int8_t(x), int8_t(y), int8_t(z)};
        if (x > result.reach) result.reach = x;  // the shells are symmetric: x tells for all axes
      }
  return result;
}

KILN_HD constexpr int moore_order(int dimension) { return dimension == 2 ? 2 : 3; }

}  // namespace kiln
