// The sizes of cells in the `tiles` schedule. Where copies are carried out at once, in two tables: one to
// read in a round, one to change, and the next round finds them swapped. It begins by copying sizes to the
// other table, and nobody waits for that before the first of its attempts is accepted.
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

  // As they were when the round, or the pass, began.
  __device__ __forceinline__ const cuda::Extent& operator[](CellId cell) const { return now_[cell]; }
  __device__ __forceinline__ cuda::Extent* table() const { return now_; }

  __device__ __forceinline__ void change(const Record& r) const {
    if (r.loser != kMedium) move_size(next_ + r.loser, -1, cuda::loser_perimeter(r.packed));
    if (r.winner != kMedium) move_size(next_ + r.winner, +1, cuda::winner_perimeter(r.packed));
  }

  __device__ void copy() {
    const Party all = crew::all();
#pragma unroll 4
    for (int64_t cell = all.number; cell < tables_.state.cells; cell += all.count) next_[cell] = now_[cell];
  }
  // What has changed is to be read now; the other table is made equal to it.
  __device__ __forceinline__ void swap() {
    cuda::Extent* const other = now_;
    now_ = next_;
    next_ = other;
    copy();
    __syncthreads();
    if constexpr (model::kCrew == 1) return;
    copied_.close();
    if (threadIdx.x == 0) copied_.come();
    lags_ = true;
  }
  // Before a warp changes sizes for the first time in a round.
  __device__ __forceinline__ void wait_for_copies() {
    if (model::kCrew == 1 || !lags_) return;
    while (!copied_.is_open()) {
    }
    lags_ = false;
  }

 private:
  const cuda::TilesTables& tables_;
  cuda::Extent *now_, *next_;
  crew::Turnstile copied_;
  bool lags_ = false;  // perhaps not all have copied theirs
};

}  // namespace kiln::device
