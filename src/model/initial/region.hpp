// A part of space: the whole lattice, a ball, a box, a tube, what several of them make together, or what lies
// outside.
#pragma once

#include <vector>

#include "core/types.hpp"

namespace kiln {

struct Region {
  enum class Shape { all, ball, box, tube, set_union, intersection, difference } shape = Shape::all;
  Vec3d centre;       // ball
  double radius = 0;  // ball, tube
  Vec3d low, high;    // box: low <= place < high
  Vec3d from, to;     // tube: a cylinder with round ends
  std::vector<Region>
      of;  // the parts of a union, intersection or difference; of the last, the first without the others
  bool outside = false;

  bool contains(const Vec3d& p) const {
    switch (shape) {
      case Shape::all:
        return !outside;
      case Shape::ball:
        return (dot(p - centre, p - centre) <= radius * radius) != outside;
      case Shape::box:
        return (p.x >= low.x && p.y >= low.y && p.z >= low.z && p.x < high.x && p.y < high.y &&
                p.z < high.z) != outside;
      default:
        return holds_inside(p) != outside;
    }
  }

 private:
  bool holds_inside(const Vec3d& p) const;  // of the remaining shapes
};

}  // namespace kiln
