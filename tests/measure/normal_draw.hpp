#pragma once

#include "core/random.hpp"

namespace kiln::test {

// About normal (sum of 12 uniforms), mean 0, sd 1.
inline double normal_draw(uint64_t seed, uint64_t index) {
  double sum = -6;
  for (uint32_t i = 0; i < 6; ++i) {
    const Draw d = draw(seed, Stream::attempts, index, i);
    sum += unit_double(d.ab()) + unit_double(d.cd());
  }
  return sum;
}

}  // namespace kiln::test
