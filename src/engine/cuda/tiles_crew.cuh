// The blocks that play one simulation together, kCrew of them, and where they meet.
#pragma once

#include "engine/cuda/device_world.cuh"

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

}  // namespace kiln::device::crew
