// What kernels know of cells that live, beside their rows in StateTables. Read by both compilers.
#pragma once

#include "core/touched_site.hpp"

namespace kiln::cuda {

inline constexpr int kMostFailureInputs = 128;  // that a message tells
inline constexpr int kNeighbourTries = 64;      // in the table of cells that touch

// What is to happen to a cell: a rule of the model, or one of these.
inline constexpr int32_t kGone = -1;      // it was dying, and is small enough
inline constexpr int32_t kVanished = -2;  // it has lost its last site
struct ListedEvent {
  CellId cell;  // as the host knows it
  int32_t rule;
};

// Why it cannot go on, told by whoever comes first.
struct LivingFailure {
  enum Kind : int32_t { none, equation, rate, set, growth, secretion };
  uint32_t taken;
  Kind kind;
  CellId cell;           // as the host knows it
  int32_t type, number;  // of the property, the rule or the secretion
  int64_t mcs;
  double value, before;
  double inputs[kMostFailureInputs];
};

// A site that gets another cell.
struct ChangedSite {
  int64_t site;
  CellId row;
  int32_t born;  // its number among newborn cells; -1: none of them
};

struct LivingTables {
  uint64_t seed;
  const double* counted;  // what was counted for formulas: by input, then by row
  ListedEvent* events;
  double* set;  // what their rules set, as many for each
  uint32_t* event_count;
  LivingFailure* failure;
};

// What is counted of cells' neighbours, in integers.
struct NeighbourTables {
  int32_t* borders;  // by row and type: pairs of sites
  int32_t* touched;  // by row and type: cells; nullptr: not asked for
  uint64_t* pairs;   // a table of those cells, as row << 32 | row
  uint64_t pair_slots;
  uint32_t* overflow;
};
// A mean over neighbours, or over voxels: sums in units of 2^-30 of the largest value.
struct MeanTables {
  uint64_t* largest;  // as the bits of a double
  int64_t* values;    // in units, by row or by voxel
  int64_t* sums;      // by row
  int32_t* pairs;     // of neighbours, by row; nullptr: of voxels
};

}  // namespace kiln::cuda
