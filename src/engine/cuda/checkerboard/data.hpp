// Arguments of the `checkerboard` schedule's kernel. Read by both compilers.
#pragma once

#include "core/types.hpp"

namespace kiln::cuda {

// Thread blocks add to different counters: so many atomics at one address would queue up.
inline constexpr int kCounters = 64;

struct BoardCounter {
  uint64_t attempts, live, accepted;
};

// A launch: steps in a row with the same active region.
struct BoardSpan {
  BoardCounter* counters;  // kCounters
  uint64_t* locks;         // per cell, with mutex: the step in which it was last changed
  uint64_t seed;
  uint64_t first_step;
  uint32_t steps;
  uint32_t clock;        // the MCS
  uint32_t block_count;  // of the checkerboard
  Vec3i blocks;          // likewise, per axis
  Vec3i region;          // from a block's corner to that of its active region
};

}  // namespace kiln::cuda
