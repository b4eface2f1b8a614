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
//
// Where the source is drawn in the active region the target may lie one site outside of it, and where there
// are fewer barriers blocks are at different steps. Then attempts may see each other's targets
// (Plan::attempts_may_meet).
#pragma once

#include "core/neighbourhood.hpp"
#include "core/random.hpp"

namespace kiln::checkerboard {

struct Attempt {
  Vec3i drawn;    // the target, or the source; from the active region's corner
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
  result.drawn.z = Dim == 3 ? int32_t(digits.take(uint32_t(region))) : 0;
  result.drawn.y = int32_t(digits.take(uint32_t(region)));
  result.drawn.x = int32_t(digits.take(uint32_t(region)));
  result.direction = int(digits.take(Moore<Dim>::kCount));
  result.threshold_bits = uint32_t(digits.rest >> 32);
  return result;
}

// Where random numbers are replayed, a block takes them one after the other, as many as it needs, from a
// stream of its own: one for an attempt's sites, another where energy alone does not decide. `call` tells
// streams apart that do not replay each other.
KILN_HD inline uint64_t replayed_bits(uint64_t seed, uint64_t call, uint32_t block, uint32_t number) {
  return draw(seed, Stream::checkerboard_replayed, call << 32 | block, number).ab();
}

// Moves a place from the site that was drawn to the target; false where that lies beyond a wall.
template <int Dim>
KILN_HD inline bool move_to_target(const Lattice& lattice, const Attempt& attempt, bool draws_source,
                                   Vec3i& place) {
  if (!draws_source) return true;
  place = place - Moore<Dim>::offset(attempt.direction);
  return lattice.wrap(place);
}

// How regions follow each other: from the corner of a block to that of the region which is active after so
// many switches.
struct Turns {
  uint64_t seed;
  uint32_t along;  // regions of a block per axis
  int32_t region;
  int32_t dimension;
  bool random;

  KILN_HD Vec3i active_region(uint64_t switches) const {
    const uint32_t all = dimension == 2 ? along * along : along * along * along;
    const uint32_t number = random
                                ? Digits{draw(seed, Stream::checkerboard_regions, switches, 0).ab()}.take(all)
                                : uint32_t(switches % all);
    return Vec3i{int32_t(number % along), int32_t(number / along % along),
                 int32_t(number / (along * along))} *
           region;
  }
};

}  // namespace kiln::checkerboard
