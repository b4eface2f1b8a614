// The blocks that play one simulation together: kCrew of them, or all of the grid where kCrew is 0.
#pragma once

#include "engine/cuda/device_world.cuh"

namespace kiln::device::crew {

__device__ __forceinline__ uint32_t blocks() { return model::kCrew == 0 ? gridDim.x : model::kCrew; }
// Of this block, in its crew.
__device__ __forceinline__ uint32_t place() {
  if constexpr (model::kCrew == 0) return blockIdx.x;
  return model::kCrew == 1 ? 0 : blockIdx.x % model::kCrew;
}
__device__ __forceinline__ Party all() {
  return {int64_t(place()) * blockDim.x + threadIdx.x, int64_t(blocks()) * blockDim.x};
}

}  // namespace kiln::device::crew
