// The sizes of cells in the `tiles` schedule. Where copies are carried out at once they are double-buffered:
// a round reads one table and changes the other, then the two are swapped. The new round copies the sizes to
// its second table, and a warp waits for these copies only before its first accepted attempt.
#pragma once

#include "engine/cuda/tiles/crew.cuh"
#include "engine/cuda/tiles/open.cuh"

namespace kiln::device {

class Sizes {
 public:
  __device__ explicit Sizes(const cuda::TilesTables& tables)
      : tables_(tables),
        now_(tables.state.extents),
        next_(kAtOnce ? tables.extents : tables.state.extents),
        copied_(tables.control->copied) {}

  // The size as it was when the round, or the pass, began. All is loaded at once, for it comes from afar.
  __device__ __forceinline__ CellSize operator[](CellId cell) const {
    CellSize size;
    size.extent = now_[cell];
    if (model::physics().uses.targets) size.targets = targets_of(tables_.state, cell);
    return size;
  }
  __device__ __forceinline__ cuda::Extent* table() const { return now_; }

  __device__ __forceinline__ void change(const Record& r) const {
    if (r.loser != kMedium) move_size(next_ + r.loser, -1, cuda::loser_perimeter(r.packed));
    if (r.winner != kMedium) move_size(next_ + r.winner, +1, cuda::winner_perimeter(r.packed));
  }

  __device__ void copy() {
    const ThreadRange threads = crew::threads();
#pragma unroll 4
    for (int64_t cell = threads.rank; cell < tables_.state.cells; cell += threads.count)
      next_[cell] = now_[cell];
  }
  // The changed table becomes the one to read; the other is made equal to it.
  __device__ __forceinline__ void swap() {
    cuda::Extent* const other = now_;
    now_ = next_;
    next_ = other;
    copy();
    __syncthreads();
    if constexpr (model::kCrew == 1) return;
    copied_.begin_phase();
    if (threadIdx.x == 0) copied_.arrive();
    copies_pending_ = true;
  }
  // Before a warp changes sizes for the first time in a round.
  __device__ __forceinline__ void wait_for_copies() {
    if (model::kCrew == 1 || !copies_pending_) return;
    while (!copied_.is_complete()) {
    }
    copies_pending_ = false;
  }

 private:
  const cuda::TilesTables& tables_;
  cuda::Extent *now_, *next_;
  crew::GridBarrier copied_;
  bool copies_pending_ = false;  // not all blocks are known to have copied theirs
};

}  // namespace kiln::device
