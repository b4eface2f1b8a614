// What is known of each cell, one row per cell: the stuff of cells.csv.
#pragma once

#include <vector>

#include "measure/look.hpp"

namespace kiln {

// Whether volume, perimeter and centroid of a cell are kept: neither the medium nor a frozen cell.
inline bool is_tracked(const Cells& cells, const std::vector<bool>& frozen, CellId cell) {
  return cell != kMedium && !frozen[cells.type[cell]];
}

// Samples of cells are every k-th id: 1, 1 + k, 1 + 2k, ... The smallest k with which `samples` samples of
// ids 1 to `cells` make at most `limit` rows; where even one cell is too much, the k that leaves one.
int64_t sampling_stride(int64_t cells, int64_t samples, int64_t limit);

inline bool is_sampled(CellId cell, int64_t stride) { return cell != kMedium && (cell - 1) % stride == 0; }

inline constexpr std::size_t kAgeOfLife = 2;  // in CellRow::living

struct CellRow {
  CellId id = 0;
  TypeId type = 0;
  int32_t volume = 0;
  int32_t perimeter = 0;
  Vec3d position;          // centroid, unwrapped, in lattice units
  int32_t neighbours = 0;  // different cells, frozen ones too, that touch it in the Moore neighbourhood
  // Where cells live: the mother (not a number: none), generation, age (MCS), target volume, properties.
  std::vector<double> living = {};
  bool operator==(const CellRow&) const = default;
};

// The tracked cells with volume > 0 among every stride-th id, in order of their ids.
std::vector<CellRow> cell_rows(const Look& look, const std::vector<bool>& frozen, int64_t stride = 1,
                               int threads = 1);

// Per cell id, for every stride-th: the number of different cells that touch it; the medium does not count. 0
// for the others and for the medium.
std::vector<int32_t> neighbour_counts(const State& state, int64_t stride = 1, int threads = 1);

}  // namespace kiln
