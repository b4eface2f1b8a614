// The `checkerboard` schedule: what is tried when (Sultan, Devi, Mueller, Textor: "A parallelized cellular
// Potts model that enables simulations at tissue scale", 2023).
//
// The lattice is cut into blocks, each block into regions. One region of every block is active at a time, the
// same in all blocks. A step is one attempt per block, into a site of its active region drawn at random;
// between two steps there is a barrier. After some steps the next region becomes active. Active regions are
// so far apart that no attempt of a step sees another's target; all they have in common is the sizes of their
// cells. A block that a closed wall cuts short draws as if it were whole, and an attempt beyond the wall is
// none, so every site is tried equally often: once per MCS on average, for an MCS is as many steps as a whole
// block has sites.
#pragma once

#include "core/neighbourhood.hpp"
#include "core/random.hpp"

namespace kiln::checkerboard {

struct Attempt {
  Vec3i target;   // from the active region's corner
  int direction;  // from target to source
  uint32_t threshold_bits;
};

// Blocks are numbered x fastest. A draw serves two of them, numbers 2 i and 2 i + 1, with 64 bits each.
KILN_HD inline uint64_t draw_index(uint64_t step, uint32_t block) { return (step >> 32 << 32) | block / 2; }
KILN_HD inline uint64_t bits_for(uint64_t seed, uint64_t step, uint32_t block) {
  const Draw pair = draw(seed, Stream::checkerboard_attempts, draw_index(step, block), uint32_t(step));
  return block % 2 == 0 ? pair.ab() : pair.cd();
}

template <int Dim>
KILN_HD inline Attempt attempt_of(uint64_t bits, int region) {
  Digits digits{bits};
  Attempt result;
  result.target.z = Dim == 3 ? int32_t(digits.take(uint32_t(region))) : 0;
  result.target.y = int32_t(digits.take(uint32_t(region)));
  result.target.x = int32_t(digits.take(uint32_t(region)));
  result.direction = int(digits.take(Moore<Dim>::kCount));
  result.threshold_bits = uint32_t(digits.rest >> 32);
  return result;
}

}  // namespace kiln::checkerboard
