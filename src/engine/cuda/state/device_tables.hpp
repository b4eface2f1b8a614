// A simulation's state on a device, whatever the schedule. Read by both compilers.
#pragma once

#include "core/box.hpp"
#include "core/moments.hpp"
#include "core/types.hpp"

namespace kiln::cuda {

inline constexpr int kMostTypesByRange = 16;
// Kernels with grid-stride loops: threads in a block, and blocks per multiprocessor.
inline constexpr int kGridStrideThreads = 256, kGridStrideBlocks = 6;

struct alignas(8) Extent {
  int32_t volume, perimeter;
};

// Direction of persistence; aligned so that one load reads it.
struct alignas(16) Direction {
  Vec3f along;
};

// Of a cell that dies: by so much its target falls in an MCS, and how small it is then removed.
struct alignas(8) Shrinking {
  float by;
  int32_t gone_at;
};

// Cells are numbered by type on the device, so that an id tells its type: those of type k are
// first_of_type[k] to first_of_type[k + 1] - 1. Where cells come and go, some of these rows are free: no site
// has their number, and their sizes are 0. device_columns.cpp says which column of the host each table is.
struct StateTables {
  void* sites;  // per site: cell id, and above it the stamp of Act
  Extent* extents;
  Vec3i* anchors;
  Vec3<int64_t>* sums;
  Moments* moments;
  // Of cells that have their own. Two arrays: a copy attempt loads only those that its terms read.
  float *target_volumes, *target_perimeters;
  OwnLambdas* own_lambdas;
  Direction* directions;
  Vec3d* history;
  // Of cells that live (Cells::Life).
  double* exact_targets;
  Shrinking* shrinking;
  int64_t* born;  // MCS
  int32_t *generations, *ends;
  double* properties;       // of a cell side by side
  uint8_t* moved;           // per cell: whether it has just got a new anchor
  uint32_t* anchors_moved;  // whether any has
  const CellId* host_ids;   // per cell: its id on the host; 0: the row is free
  uint32_t cells;           // rows, with that of the medium
  uint32_t first_of_type[kMostTypesByRange + 1];
  // Of a brick: where what is stored begins in the lattice, and its own sites, as stored.
  Vec3i origin;
  Box own;
};

}  // namespace kiln::cuda
