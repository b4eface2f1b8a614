// The Moore-connected pieces that the sites of cells fall into, and how far cells reach along the axes.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/state.hpp"

namespace kiln {

// Calls visit(begin, end, id) for every stretch of equal ids of a row.
template <class Visit>
void for_each_run(const CellId* ids, int32_t width, const Visit& visit) {
  for (int32_t begin = 0, end = 0; begin < width; begin = end) {
    end = begin + 1;
    while (end < width && ids[end] == ids[begin]) ++end;
    visit(begin, end, ids[begin]);
  }
}

// Union-find over runs, the stretches of equal ids along x. `Index` holds the number of any run.
template <class Index>
class RunForest;

// Takes about 8 bytes per run.
class CellPieces {
 public:
  // Of cells with a flag.
  CellPieces(const State& state, std::vector<char> wanted, int threads);
  CellPieces(const CellPieces&) = delete;
  ~CellPieces();

  std::vector<int32_t> counts() const;  // by cell; 0 where it is not wanted
  // A number that is the same for all sites of a piece, of a wanted cell.
  uint64_t piece_at(const Vec3i& place) const;

 private:
  const State& state_;
  std::vector<char> wanted_;
  int threads_;
  std::vector<int64_t> first_run_;  // per row, and one more
  std::unique_ptr<RunForest<uint32_t>> forest_;
  std::unique_ptr<RunForest<uint64_t>> large_forest_;  // where there are more runs than 32 bits can count
};

// The sites of a cell along an axis, as offsets from its anchor.
struct OffsetSpan {
  int32_t least = std::numeric_limits<int32_t>::max(), most = std::numeric_limits<int32_t>::min();

  void add(int32_t offset) {
    least = std::min(least, offset);
    most = std::max(most, offset);
  }
  void add(const OffsetSpan& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
  }
  bool is_wide(int32_t length) const { return most >= least && 2 * (int64_t(most) - least + 1) > length; }
};

// Along all of them.
struct OffsetSpans {
  Vec3<OffsetSpan> along;

  // Sites in a row, from `first` on.
  void add(const Lattice& lattice, const Vec3i& anchor, const Vec3i& first, int32_t count);
  void add(const OffsetSpans& other) {
    for (int axis = 0; axis < 3; ++axis) along[axis].add(other.along[axis]);
  }
  // More than half of a periodic axis: there is no saying where the cell's centroid is.
  bool is_wide(const Lattice& lattice) const;
};

}  // namespace kiln
