// The blocks that play one simulation together, kCrew of them, and where they meet.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles/data.hpp"

namespace kiln::device::crew {

constexpr uint32_t kWarps = model::kCrew * model::kWarpsPerBlock;

// Of this block, in its crew.
__device__ __forceinline__ uint32_t place() {
  return !model::kMembers ? blockIdx.x : model::kCrew == 1 ? 0 : blockIdx.x % model::kCrew;
}
__device__ __forceinline__ Party all() {
  return {int64_t(place()) * blockDim.x + threadIdx.x, int64_t(model::kCrew) * blockDim.x};
}

// A counter in memory whose top bit flips when the last block of a crew has come, whatever it was before, so
// nobody has to reset it.
class Turnstile {
 public:
  __device__ explicit Turnstile(uint32_t& counter) : counter_(&counter), open_(counter & kTopBit) {}

  // For every thread, before its block comes.
  __device__ __forceinline__ void close() { open_ ^= kTopBit; }
  // For one thread of a block: what all of them wrote before comes first for those who look.
  __device__ __forceinline__ void come() const {
    const uint32_t by = place() == 0 ? kTopBit - (model::kCrew - 1) : 1u;
    asm volatile("fence.acq_rel.gpu;\n\tred.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(counter_), "r"(by)
                 : "memory");
  }
  // Whether all have come, since it was closed.
  __device__ __forceinline__ bool is_open() const {
    uint32_t seen;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(counter_) : "memory");
    return is_open_at(seen);
  }
  // The same, and the word behind the counter, read at once.
  __device__ __forceinline__ bool is_open(uint32_t& word) const {
    uint64_t seen;
    asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(counter_) : "memory");
    word = uint32_t(seen >> 32);
    return is_open_at(uint32_t(seen));
  }

 private:
  static constexpr uint32_t kTopBit = 0x80000000u;

  __device__ __forceinline__ bool is_open_at(uint32_t seen) const { return (seen & kTopBit) == open_; }

  uint32_t* counter_;
  uint32_t open_;  // the top bit when all have come
};

// A barrier for the whole crew, at which one learns whether anybody has open attempts.
class Meeting {
 public:
  struct Board {        // of a block
    uint32_t open;      // whether it has some
    uint32_t any_open;  // whether any block had some the last time
  };

  __device__ Meeting(const cuda::TilesTables& tables, Board& board)
      : tables_(tables), board_(board), met_(tables.control->barrier) {}

  // For one thread of a warp that has open attempts, before it comes.
  __device__ __forceinline__ void tell_open() const {
    if (model::kCrew != 1) board_.open = 1;
  }
  // What was written before is seen after. One thread per block speaks for it: many more at one address would
  // queue up. Meanwhile another thread does something for the block, and every warp something for itself.
  template <class ForBlock, class ForWarp>
  __device__ __forceinline__ bool meet(uint32_t stamp, bool open, const ForBlock& for_block,
                                       const ForWarp& for_warp) {
    const bool speaks_for_block = threadIdx.x == 32 * (model::kWarpsPerBlock - 1);
    if constexpr (model::kCrew == 1) {
      if (speaks_for_block) for_block();
      __syncwarp();
      for_warp();
      return __syncthreads_or(open) != 0;
    }
    __syncthreads();
    if (speaks_for_block) for_block();
    met_.close();
    if (threadIdx.x == 0) {
      if (board_.open != 0) *static_cast<volatile uint32_t*>(&tables_.control->open_at) = stamp;
      board_.open = 0;
      met_.come();
    }
    __syncwarp();
    for_warp();
    if (threadIdx.x == 0) {
      uint32_t open_at;
      while (!met_.is_open(open_at)) {
      }
      board_.any_open = open_at == stamp;
    }
    __syncthreads();
    return board_.any_open != 0;
  }

 private:
  const cuda::TilesTables& tables_;
  Board& board_;
  Turnstile met_;
};

}  // namespace kiln::device::crew
