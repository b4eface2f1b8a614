// Instructions of the GPU that CUDA C++ has no names for. All that is written in PTX is here.
#pragma once

#include "core/types.hpp"

namespace kiln::device {

// Fire-and-forget updates of numbers in global memory: the old value is not returned. (In large kernels the
// compiler makes of atomicAdd and atomicMin atomics that return it, used or not.)
__device__ __forceinline__ void add(void* to, int64_t by) {
  asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(to)), "l"(by)
               : "memory");
}
__device__ __forceinline__ void lower(uint64_t* what, uint64_t to) {
  asm volatile("red.relaxed.gpu.global.min.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(what)), "l"(to)
               : "memory");
}

// What was written before the addition is there for everybody who reads its result with load_acquire.
__device__ __forceinline__ void add_release(uint32_t* to, uint32_t by) {
  asm volatile("fence.acq_rel.gpu;\n\tred.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(by)
               : "memory");
}
__device__ __forceinline__ uint32_t load_acquire(const uint32_t* from) {
  uint32_t seen;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(from) : "memory");
  return seen;
}
__device__ __forceinline__ uint64_t load_acquire(const uint64_t* from) {
  uint64_t seen;
  asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(seen) : "l"(from) : "memory");
  return seen;
}

// Copies from global to shared memory that end later: those before a commit_copies() are a group.
template <int Bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
  const uint32_t address = uint32_t(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes)
                 : "memory");
#else
  if constexpr (Bytes == 16)
    *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
  else if constexpr (Bytes == 8)
    *static_cast<uint64_t*>(to) = *static_cast<const uint64_t*>(from);
  else
    *static_cast<uint32_t*>(to) = *static_cast<const uint32_t*>(from);
#endif
}
__device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// For all groups of this thread but the last.
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}

}  // namespace kiln::device
