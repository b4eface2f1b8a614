// A stage of a substance's equation on a GPU, a voxel per thread, and sums for its budget. The arithmetic is
// that of engine/substances/row_worker.cpp, in its order. Compiled behind a line that says kDim.
#pragma once

#include "engine/cuda/substances/diffusion_tables.hpp"

namespace kiln::device {

using cuda::DiffusionTables;

// A voxel and what surrounds it.
struct VoxelView {
  const DiffusionTables& tables;
  const double* now;
  Vec3i place;
  int64_t index;
  double c;

  __device__ VoxelView(const DiffusionTables& t, const double* values, int64_t number)
      : tables(t), now(values), place(t.voxels.position(number)), index(number), c(values[number]) {}

  __device__ bool is_at_wall(int axis, bool high) const {
    return !tables.voxels.periodic[axis] && place[axis] == (high ? tables.voxels.size[axis] - 1 : 0);
  }
  __device__ double beside(int axis, bool high) const {
    if (is_at_wall(axis, high)) return tables.ghosts[2 * axis + high].beside(c);
    Vec3i next = place;
    next[axis] += high ? 1 : -1;
    tables.voxels.wrap(next);
    return now[tables.voxels.index(next)];
  }
  __device__ double face(int axis, bool high) const {
    if (is_at_wall(axis, high)) return tables.is_value[2 * axis + high] ? tables.volume[index] : 0.0;
    Vec3i voxel = place;
    if (high) {
      voxel[axis] += 1;
      tables.voxels.wrap(voxel);
    }
    return tables.low[axis][tables.voxels.index(voxel)];
  }
  __device__ double open_part() const { return tables.volume != nullptr ? tables.volume[index] : 1.0; }

  __device__ double by_exchange() const {
    if (tables.volume == nullptr) {
      const double sum = substances::differences<kDim>(c, beside(0, false), beside(0, true), beside(1, false),
                                                       beside(1, true), kDim == 3 ? beside(2, false) : c,
                                                       kDim == 3 ? beside(2, true) : c);
      return tables.exchange * sum - tables.decay * c;
    }
    double sum = 0;
    for (int axis = 0; axis < kDim; ++axis)
      sum = sum + substances::open_differences(c, beside(axis, false), beside(axis, true), face(axis, false),
                                               face(axis, true));
    const double part = open_part();
    return part > 0 ? tables.exchange * sum / part - tables.decay * c : 0.0;
  }
  __device__ double taken_up(int k) const {
    return substances::taken_up(c, tables.share[k][index], tables.rate[k], tables.at_most[k]);
  }
  __device__ bool is_held() const { return tables.held != nullptr && tables.held[index] != 0; }
  // Where nothing holds the concentration.
  __device__ double change() const {
    double change = by_exchange();
    if (tables.secretion != nullptr) change = change + tables.secretion[index];
    for (int k = 0; k < tables.uptakes; ++k) change = change - taken_up(k);
    for (int axis = 0; axis < kDim; ++axis)
      for (int high = 0; high < 2; ++high)
        if (tables.is_flux[2 * axis + high] && is_at_wall(axis, high != 0))
          change = change + tables.inflow[2 * axis + high];
    return tables.volume != nullptr && tables.volume[index] == 0 ? 0.0 : change;
  }
  // Per second.
  __device__ double through_walls() const {
    double sum = 0;
    for (int axis = 0; axis < kDim; ++axis)
      for (int high = 0; high < 2; ++high) {
        const int side = 2 * axis + high;
        if (!is_at_wall(axis, high != 0)) continue;
        if (tables.is_flux[side]) sum = sum + tables.inflow[side];
        if (tables.is_value[side]) sum = sum + tables.exchange * (tables.ghosts[side].beside(c) - c);
      }
    return sum;
  }
};

// Sums of halves, down to the first lane.
__device__ __forceinline__ double sum_of_lanes(double value) {
  for (int half = 16; half > 0; half /= 2) value = value + __shfl_down_sync(~0u, value, half);
  return value;
}

}  // namespace kiln::device

extern "C" __global__ void diffuse(const __grid_constant__ kiln::cuda::DiffusionTables tables,
                                   const __grid_constant__ kiln::substances::Stage stage, const double* now,
                                   double* before) {
  using namespace kiln;
  const int64_t count = tables.voxels.sites(), stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t voxel = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; voxel < count; voxel += stride) {
    const device::VoxelView view(tables, now, voxel);
    const double change = view.is_held() ? 0.0 : view.change();
    before[voxel] = stage.next(view.c, change, stage.has_older ? before[voxel] : 0.0);
  }
}

// Row by row, a warp each: what there is, what is taken up, what comes through walls, what holds
// concentrations, in four arrays of `rows`.
extern "C" __global__ void sum_rows(const __grid_constant__ kiln::cuda::DiffusionTables tables,
                                    const double* now, int64_t rows, double* sums) {
  using namespace kiln;
  const int64_t warps = int64_t(gridDim.x) * blockDim.x / 32;
  const int lane = int(threadIdx.x % 32);
  for (int64_t row = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
    double there = 0, taken = 0, crossed = 0, held = 0;
    for (int32_t x = lane; x < tables.voxels.size.x; x += 32) {
      const device::VoxelView view(tables, now, row * tables.voxels.size.x + x);
      const double part = view.open_part();
      double of_voxel = 0;
      for (int k = 0; k < tables.uptakes; ++k) of_voxel = of_voxel + view.taken_up(k);
      there = there + view.c * part;
      taken = taken + of_voxel * part;
      crossed = crossed + view.through_walls() * part;
      if (tables.held != nullptr) held = held + (view.is_held() ? -view.change() : 0.0) * part;
    }
    there = device::sum_of_lanes(there);
    taken = device::sum_of_lanes(taken);
    crossed = device::sum_of_lanes(crossed);
    held = device::sum_of_lanes(held);
    if (lane != 0) continue;
    sums[row] = there;
    sums[rows + row] = taken;
    sums[2 * rows + row] = crossed;
    sums[3 * rows + row] = held;
  }
}
