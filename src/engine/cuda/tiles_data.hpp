// What the host hands to the kernels of the `tiles` schedule. Read by both compilers.
#pragma once

#include "engine/cuda/device_tables.hpp"

namespace kiln::cuda {

inline constexpr int kMostMcsPerLaunch = 32;

// A claim that nobody has made, larger than any other.
inline constexpr uint64_t kNoClaim = ~uint64_t(0);
inline constexpr uint32_t kFirstClaimStamp = 0xFFFFFFFEu;

// A live attempt of the current round that has not been settled yet.
struct alignas(16) OpenAttempt {
  uint32_t tile;
  uint32_t site;  // the target's index, where 32 bits can hold it
  CellId winner, loser;
  float surroundings, threshold;
  float act;        // its part of dH, or the mean at the source alone
  uint32_t packed;  // see pack()
};

// Flags of an OpenAttempt, and how a copy would change the two perimeters.
inline constexpr uint32_t kAccepted = 1;         // on the sizes as they were when it was last judged
inline constexpr uint32_t kActAtSourceOnly = 2;  // the target's mean of Act has not been needed yet
KILN_HD inline uint32_t pack(int32_t winner_perimeter, int32_t loser_perimeter, uint32_t flags) {
  return uint32_t(winner_perimeter) << 17 | (uint32_t(loser_perimeter) & 0x7FFF) << 2 | flags;
}
KILN_HD inline int32_t winner_perimeter(const OpenAttempt& a) { return int32_t(a.packed) >> 17; }
KILN_HD inline int32_t loser_perimeter(const OpenAttempt& a) { return int32_t(a.packed << 15) >> 17; }

// Written by kernels, read by the host now and then.
struct Control {
  uint32_t barrier;
  uint32_t claim_stamp;  // of the next pass
  uint32_t open_at;      // the stamp of the last pass that left something open
  uint64_t attempts, live, accepted;
};

// What the schedule needs beside the state.
struct TilesTables {
  StateTables state;
  uint64_t* claims;   // per cell
  OpenAttempt* open;  // open_per_warp for every warp
  Control* control;
  int64_t open_per_warp;
  uint64_t seed;
};

// Some MCS in a row, and where each begins.
struct Span {
  int64_t first_mcs;
  int32_t mcs;
  uint64_t rounds[kMostMcsPerLaunch + 1];
};

}  // namespace kiln::cuda
