// What the host hands to the kernels of the `tiles` schedule. Read by both compilers.
#pragma once

#include "core/types.hpp"

namespace kiln::cuda {

inline constexpr int kMostTypesByRange = 16;
inline constexpr int kMostMcsPerLaunch = 32;

// Claims on cells that nobody has, larger than any real one; the second marks a cell with a new anchor.
inline constexpr uint64_t kNoClaim = ~uint64_t(0);
inline constexpr uint64_t kMovedMark = kNoClaim - 1;
inline constexpr uint32_t kFirstClaimStamp = 0xFFFFFFFEu;

// A live attempt of the current round that has not been settled yet.
struct alignas(16) OpenAttempt {
  uint32_t tile;
  CellId winner, loser;
  uint32_t accepted;  // on the sizes as they were when it was last judged
  float surroundings, act, threshold;
  int16_t winner_perimeter, loser_perimeter;  // how a copy changes them
};

struct Extent {
  int32_t volume, perimeter;
};

// Written by kernels, read by the host now and then.
struct Control {
  uint32_t barrier;
  uint32_t claim_stamp;    // of the next pass
  uint32_t open_at;        // the stamp of the last pass that left something open
  uint32_t anchors_moved;  // whether any cell got a new anchor
  uint64_t attempts, live, accepted;
};

// Cells are numbered by type on the device, so that an id tells its type: those of type k are
// first_of_type[k] to first_of_type[k + 1] - 1.
struct Tables {
  void* sites;  // per site: cell id, and above it the stamp of Act
  Extent* extents;
  uint64_t* claims;
  Vec3i* anchors;
  Vec3<int64_t>* sums;
  Vec3f* directions;
  Vec3d* history;
  OpenAttempt* open;
  Control* control;
  int64_t open_per_warp;
  uint64_t seed;
  uint32_t cells;  // with the medium
  uint32_t first_of_type[kMostTypesByRange + 1];
};

// Some MCS in a row, and where each begins.
struct Span {
  int64_t first_mcs;
  int32_t mcs;
  uint64_t rounds[kMostMcsPerLaunch + 1];
};

}  // namespace kiln::cuda
