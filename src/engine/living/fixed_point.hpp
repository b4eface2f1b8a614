// Sums that depend on no order: of integers, in units of 2^-30 of the largest value that is added.
#pragma once

#include <cmath>

namespace kiln {

inline double fixed_point_unit(double largest) {
  constexpr int kBits = 30;
  if (!(largest > 0)) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, exponent - kBits);
}

}  // namespace kiln
