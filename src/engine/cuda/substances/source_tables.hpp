// What the kernel that counts a substance's sources knows. Read by both compilers.
#pragma once

#include "core/lattice.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/substances/diffusion_tables.hpp"

namespace kiln::cuda {

struct SourceTables {
  Lattice voxels;
  int32_t coarsen;
  // By type.
  double per_site[kMostTypesByRange + 1], per_cell[kMostTypesByRange + 1];  // secreted
  bool by_formula[kMostTypesByRange + 1];  // `rates` has what a cell secretes per site
  bool any_per_cell;                       // what a cell secretes depends on more than its type
  const double* rates;
  bool holds[kMostTypesByRange + 1];
  double held[kMostTypesByRange + 1];
  // In the order of DiffusionTables::share.
  int32_t takers;
  int32_t taker[kMostUptakes];
  const double* volume;  // open parts of voxels; nullptr: no obstacles
  // What is counted, by voxel; nullptr: not asked for.
  void* secretion;   // doubles; or floats, shares of sites of this type:
  int32_t secreter;  // -1: no type
  void* share[kMostUptakes];
  bool shares_fit_floats;  // and are floats; else they are doubles
  uint8_t* is_held;
  double* held_at;
};

}  // namespace kiln::cuda
