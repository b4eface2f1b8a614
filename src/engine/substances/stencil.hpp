// The right-hand side of a substance's equation in one voxel, term by term and in a fixed order. Read by both
// compilers.
//
//   dc/dt = D/h^2 sum over neighbours (c' - c) - k c + s - sum over types of share min(rate c, at_most)
//
// Where sites of a voxel are closed to the substance, differences are weighted by the open part of the face
// between two voxels, and divided by the open part of the voxel.
#pragma once

#include "core/lattice.hpp"

namespace kiln::substances {

// Sum of differences to the neighbours of a voxel. In 2-D the last two values are not read.
template <int Dim>
KILN_HD inline double differences(double c, double xm, double xp, double ym, double yp, double zm,
                                  double zp) {
  if constexpr (Dim == 2) return ((xm + xp) + (ym + yp)) - 4.0 * c;
  return (((xm + xp) + (ym + yp)) + (zm + zp)) - 6.0 * c;
}

// The same along one axis, with the open parts of the two faces.
KILN_HD inline double open_differences(double c, double low, double high, double low_face, double high_face) {
  return low_face * (low - c) + high_face * (high - c);
}

KILN_HD inline double taken_up(double c, double share, double rate, double at_most) {
  const double wanted = rate * c;
  return share * (wanted < at_most ? wanted : at_most);
}

// Concentrations add up to this at most: copy attempts read floats.
inline constexpr double kMostInAll = 0x1.fffffep127;
KILN_HD inline bool overflows(double total) { return !(total <= kMostInAll && total >= -kMostInAll); }

// One side of the box, as the value of a voxel beyond it.
struct Ghost {
  double of_voxel = 1, constant = 0;  // closed: the voxel's own value

  KILN_HD double beside(double c) const { return of_voxel * c + constant; }
};

// A stage: next = keep * c + step * dc/dt, and + older * (the value before c) where there is one.
struct Stage {
  double keep = 1, step = 0, older = 0;
  bool has_older = false;

  KILN_HD double next(double c, double change, double before) const {
    const double value = keep * c + step * change;
    return has_older ? value + older * before : value;
  }
};

}  // namespace kiln::substances
