// How the steps of a round of the `tiles` schedule are split over the warps of a GPU. It does not shape the
// result.
#pragma once

#include "core/types.hpp"

namespace kiln::cuda {

// Steps are assigned in turns. In the first ones a warp gets a unit: steps in a row that share random draws.
// The rest, too little for another turn of units, is assigned step by step; or, with share_rest, warps that
// are done take it from a counter.
struct WorkSplit {
  static constexpr uint32_t kNone = ~0u;

  uint32_t steps, unit;
  uint32_t blocks, warps_per_block;
  bool share_rest;

  KILN_HD constexpr uint32_t warps() const { return blocks * warps_per_block; }
  KILN_HD constexpr uint32_t units() const { return (steps + unit - 1) / unit; }
  // Behind the last number of the last unit, which may have numbers that are no steps.
  KILN_HD constexpr uint32_t end() const { return units() * unit; }

  KILN_HD constexpr uint32_t turns_of_units() const {
    if (share_rest) return units() / 8 * 7 < warps() ? 1 : units() / 8 * 7 / warps();
    const uint32_t full = units() / warps(), longest = (end() + warps() - 1) / warps();
    return (full + 1) * unit <= longest ? full + 1 : full;
  }
  // The first step that is not assigned as part of a unit.
  KILN_HD constexpr uint32_t first_single() const {
    const uint32_t in_turns = turns_of_units() * unit * warps();
    return in_turns < end() ? in_turns : end();
  }
  // Steps assigned to a warp, at most.
  KILN_HD constexpr uint32_t steps_per_warp() const {
    const uint32_t singles = share_rest ? 0 : end() - first_single();
    return turns_of_units() * unit + (singles + warps() - 1) / warps();
  }

  // The i-th step of a warp; kNone, or a number that is no step, where it has fewer.
  KILN_HD constexpr uint32_t step(uint32_t i, uint32_t block, uint32_t warp) const {
    const uint32_t in_units = turns_of_units() * unit;
    if (i < in_units) {
      const uint32_t first = i / unit * warps(), place = place_in(units() - first, block, warp);
      return place == kNone ? kNone : (first + place) * unit + i % unit;
    }
    const uint32_t first = first_single() + (i - in_units) * warps();
    const uint32_t place = place_in(end() - first, block, warp);
    return place == kNone ? kNone : first + place;
  }

 private:
  // Place of a warp in a turn, with `left` things to assign. Warps of a block get neighbours, which share the
  // cells in the cache; where there are fewer things than warps, blocks get equally many.
  KILN_HD constexpr uint32_t place_in(uint32_t left, uint32_t block, uint32_t warp) const {
    if (left >= warps()) return block * warps_per_block + warp;
    const uint32_t place = left * block / blocks + warp;
    return place < left * (block + 1) / blocks ? place : kNone;
  }
};

}  // namespace kiln::cuda
