// Arguments of the `checkerboard` schedule's kernel. Read by both compilers.
#pragma once

#include "core/types.hpp"
#include "engine/schedule/checkerboard.hpp"

namespace kiln::cuda {

// Thread blocks add to different counters: so many atomics at one address would queue up.
inline constexpr int kCounters = 64;

struct BoardCounter {
  uint64_t attempts, live, accepted;
};

// A launch: steps in a row of one MCS; with the same active region, unless there are no barriers.
struct BoardSpan {
  BoardCounter* counters;  // kCounters
  uint64_t* locks;         // per cell, with mutex: the first step of the launch in which it was last changed
  uint64_t first_step;
  uint64_t first_drawn;  // the step whose random numbers, or whose turn at random, the first one has
  uint64_t call;         // where random numbers are replayed: see checkerboard::replayed_bits
  uint32_t* taken;       // likewise, per block: numbers taken in this MCS
  uint32_t steps;
  uint32_t clock;        // the MCS
  uint32_t block_count;  // of the checkerboard
  Vec3i blocks;          // likewise, per axis
  Vec3i region;          // from a block's corner to that of its active region, in the first step
  checkerboard::Turns turns;
};

}  // namespace kiln::cuda
