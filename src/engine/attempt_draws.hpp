// The draws of the serial schedule: which target, which source and which threshold attempt number i of an MCS has.
// They do not depend on the state, so they can be made in batches and their memory fetched ahead.
#pragma once

#include "core/random.hpp"
#include "engine/host_world.hpp"

namespace kiln {

// Sixty-four random bits make an attempt, so one Philox draw makes two: number i has half i % 2 of draw i / 2. What
// the coordinates and the direction leave over (29 bits for 2^30 sites in 3-D) decides the threshold.
template <int Dim>
struct AttemptDraw {
  Vec3i target;
  int direction;  // from target to source
  uint32_t threshold_bits;

  static AttemptDraw from(uint64_t bits, const Lattice& lattice) {
    Digits digits{bits};
    AttemptDraw result;
    result.target.z = Dim == 3 ? int32_t(digits.take(uint32_t(lattice.size.z))) : 0;
    result.target.y = int32_t(digits.take(uint32_t(lattice.size.y)));
    result.target.x = int32_t(digits.take(uint32_t(lattice.size.x)));
    result.direction = int(digits.take(Moore<Dim>::kCount));
    result.threshold_bits = uint32_t(digits.rest >> 32);
    return result;
  }
};

}  // namespace kiln
