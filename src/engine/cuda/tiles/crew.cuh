// A crew: the kCrew blocks that play one simulation together, and their barriers.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles/data.hpp"

namespace kiln::device::crew {

constexpr uint32_t kWarps = model::kCrew * model::kWarpsPerBlock;

// Rank of this block in its crew.
__device__ __forceinline__ uint32_t block_rank() {
  return !model::kMembers ? blockIdx.x : model::kCrew == 1 ? 0 : blockIdx.x % model::kCrew;
}
__device__ __forceinline__ ThreadRange threads() {
  return {int64_t(block_rank()) * blockDim.x + threadIdx.x, int64_t(model::kCrew) * blockDim.x};
}

// Barrier across the blocks of a crew, arrival and wait apart. Its counter's top bit flips when the last
// block arrives, whatever it was before, so it is never reset.
class GridBarrier {
 public:
  __device__ explicit GridBarrier(uint32_t& counter) : counter_(&counter), phase_(counter & kTopBit) {}

  // Called by every thread, before its block arrives.
  __device__ __forceinline__ void begin_phase() { phase_ ^= kTopBit; }
  // Called by one thread per block. Writes of the block before it are visible once the barrier is complete.
  __device__ __forceinline__ void arrive() const {
    const uint32_t by = block_rank() == 0 ? kTopBit - (model::kCrew - 1) : 1u;
    add_release(counter_, by);
  }
  // Whether all blocks have arrived in this phase.
  __device__ __forceinline__ bool is_complete() const {
    return is_complete_at(load_acquire(counter_));
  }
  // Also reads the word behind the counter, in the same load.
  __device__ __forceinline__ bool is_complete(uint32_t& word) const {
    const uint64_t seen = load_acquire(reinterpret_cast<const uint64_t*>(counter_));
    word = uint32_t(seen >> 32);
    return is_complete_at(uint32_t(seen));
  }

 private:
  static constexpr uint32_t kTopBit = 0x80000000u;

  __device__ __forceinline__ bool is_complete_at(uint32_t seen) const { return (seen & kTopBit) == phase_; }

  uint32_t* counter_;
  uint32_t phase_;  // the top bit once all have arrived
};

// Barrier of the whole crew that also reduces a flag: whether any warp has open attempts.
class CrewBarrier {
 public:
  struct BlockFlags {   // in shared memory
    uint32_t open;      // a warp of this block has open attempts
    uint32_t any_open;  // some block had, at the last barrier
  };

  __device__ CrewBarrier(const cuda::TilesTables& tables, BlockFlags& flags)
      : tables_(tables), flags_(flags), barrier_(tables.control->barrier) {}

  // Called by one lane of a warp that has open attempts, before the barrier.
  __device__ __forceinline__ void flag_open() const {
    if (model::kCrew != 1) flags_.open = 1;
  }
  // Writes before it are visible after it. One thread per block arrives: atomics of all at one address would
  // queue up. While the block waits, one thread runs `for_block` and every warp runs `for_warp`.
  template <class ForBlock, class ForWarp>
  __device__ __forceinline__ bool arrive_and_wait(uint32_t stamp, bool open, const ForBlock& for_block,
                                                  const ForWarp& for_warp) {
    const bool works_for_block = threadIdx.x == 32 * (model::kWarpsPerBlock - 1);
    if constexpr (model::kCrew == 1) {
      if (works_for_block) for_block();
      __syncwarp();
      for_warp();
      return __syncthreads_or(open) != 0;
    }
    __syncthreads();
    if (works_for_block) for_block();
    barrier_.begin_phase();
    if (threadIdx.x == 0) {
      if (flags_.open != 0) *static_cast<volatile uint32_t*>(&tables_.control->open_at) = stamp;
      flags_.open = 0;
      barrier_.arrive();
    }
    __syncwarp();
    for_warp();
    if (threadIdx.x == 0) {
      uint32_t open_at;
      while (!barrier_.is_complete(open_at)) {
      }
      flags_.any_open = open_at == stamp;
    }
    __syncthreads();
    return flags_.any_open != 0;
  }

 private:
  const cuda::TilesTables& tables_;
  BlockFlags& flags_;
  GridBarrier barrier_;
};

}  // namespace kiln::device::crew
