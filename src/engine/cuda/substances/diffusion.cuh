// A stage of a substance's equation on a GPU, a row of voxels per warp, and sums for its budget. The
// arithmetic is that of engine/substances/row_worker.cpp, in its order. Compiled behind a line that says
// kDim.
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
  bool is_inner;  // all neighbours lie at the same distances

  __device__ VoxelView(const DiffusionTables& t, const double* values, const Vec3i& where, int64_t number)
      : tables(t), now(values), place(where), index(number), c(values[number]), is_inner(true) {
#pragma unroll
    for (int axis = 0; axis < kDim; ++axis)
      is_inner = is_inner && place[axis] > 0 && place[axis] < t.voxels.size[axis] - 1;
  }

  __device__ bool is_at_wall(int axis, bool high) const {
    return !is_inner && !tables.voxels.periodic[axis] &&
           place[axis] == (high ? tables.voxels.size[axis] - 1 : 0);
  }
  __device__ double beside(int axis, bool high) const {
    if (is_inner) {
      const int64_t width = tables.voxels.size.x;
      const int64_t apart = axis == 0 ? 1 : axis == 1 ? width : width * tables.voxels.size.y;
      return now[index + (high ? apart : -apart)];
    }
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
        if (is_at_wall(axis, high != 0) && tables.is_flux[2 * axis + high])
          change = change + tables.inflow[2 * axis + high];
    return tables.volume != nullptr && tables.volume[index] == 0 ? 0.0 : change;
  }
  // Per second.
  __device__ double through_walls() const {
    double sum = 0;
    if (is_inner) return sum;
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

namespace kiln::device {

// Calls work(number) for every number below `count`, each by a warp.
template <class Work>
__device__ __forceinline__ void each_by_a_warp(int64_t count, const Work& work) {
  const int64_t warps = int64_t(gridDim.x) * blockDim.x / 32;
  for (int64_t i = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32; i < count; i += warps) work(i);
}

}  // namespace kiln::device

// A stage, into `before`; none where that is a null pointer. And what was there before it, row by row: what
// there is, what is taken up, what comes through walls, what holds concentrations, what is secreted, in five
// arrays of `rows`; unless `sums` is a null pointer.
extern "C" __global__ void diffuse(const __grid_constant__ kiln::cuda::DiffusionTables tables,
                                   const __grid_constant__ kiln::substances::Stage stage, const double* now,
                                   double* before, int64_t rows, double* sums) {
  using namespace kiln;
  const int lane = int(threadIdx.x % 32);
  device::each_by_a_warp(rows, [&](int64_t row) {
    const int64_t first = row * tables.voxels.size.x;
    Vec3i place{0, int32_t(row % tables.voxels.size.y), int32_t(row / tables.voxels.size.y)};
    double of_lane[cuda::kRowSums] = {};
    for (place.x = lane; place.x < tables.voxels.size.x; place.x += 32) {
      const device::VoxelView view(tables, now, place, first + place.x);
      const bool held = view.is_held();
      const double change = before != nullptr || held ? view.change() : 0.0;
      if (before != nullptr)
        before[view.index] =
            stage.next(view.c, held ? 0.0 : change, stage.has_older ? before[view.index] : 0.0);
      if (sums == nullptr) continue;
      const double part = view.open_part();
      double taken = 0;
      for (int k = 0; k < tables.uptakes; ++k) taken = taken + view.taken_up(k);
      of_lane[0] = of_lane[0] + view.c * part;
      of_lane[1] = of_lane[1] + taken * part;
      of_lane[2] = of_lane[2] + view.through_walls() * part;
      if (tables.held != nullptr) of_lane[3] = of_lane[3] + (held ? -change : 0.0) * part;
      if (tables.secretion != nullptr) of_lane[4] = of_lane[4] + tables.secretion[view.index] * part;
    }
    if (sums == nullptr) return;
#pragma unroll
    for (int k = 0; k < cuda::kRowSums; ++k) {
      const double sum = device::sum_of_lanes(of_lane[k]);
      if (lane == 0) sums[k * rows + row] = sum;
    }
  });
}

// Sums of `each` values that follow each other: rows to planes, planes to all.
extern "C" __global__ void sum_groups(const double* values, int64_t groups, int64_t each, double* sums) {
  using namespace kiln;
  const int lane = int(threadIdx.x % 32);
  device::each_by_a_warp(groups, [&](int64_t group) {
    double of_lane = 0;
    for (int64_t i = lane; i < each; i += 32) of_lane = of_lane + values[group * each + i];
    const double sum = device::sum_of_lanes(of_lane);
    if (lane == 0) sums[group] = sum;
  });
}

// Sets concentrations that are held; what that adds, row by row.
extern "C" __global__ void hold_rows(const __grid_constant__ kiln::cuda::DiffusionTables tables,
                                     const double* held_at, int64_t rows, double* now, double* sums) {
  using namespace kiln;
  const int lane = int(threadIdx.x % 32);
  device::each_by_a_warp(rows, [&](int64_t row) {
    double of_lane = 0;
    for (int32_t x = lane; x < tables.voxels.size.x; x += 32) {
      const int64_t voxel = row * tables.voxels.size.x + x;
      double added = 0;
      if (tables.held[voxel] != 0) {
        const double part = tables.volume != nullptr ? tables.volume[voxel] : 1.0;
        added = (held_at[voxel] - now[voxel]) * part;
        now[voxel] = held_at[voxel];
      }
      of_lane = of_lane + added;
    }
    const double sum = device::sum_of_lanes(of_lane);
    if (lane == 0) sums[row] = sum;
  });
}

// The books of one advance, a thread per account: substances::Ledger. `flows` are kRowSums per stage and one
// more set behind the last; `added` what was added before to hold concentrations.
extern "C" __global__ void keep_books(const kiln::substances::Stage* stages, int32_t count, int32_t steps,
                                      const double* flows, const double* added, double decay, double* books) {
  using namespace kiln;
  const int account = int(threadIdx.x);
  if (account == cuda::kAccounts) books[account] = flows[int64_t(count) * steps * cuda::kRowSums];
  if (account >= cuda::kAccounts) return;
  double budget = books[account];
  if (account == 4 && added != nullptr) budget = budget + *added;
  for (int32_t step = 0, slot = 0; step < steps; ++step) {
    double now = 0, before = 0;
    for (int32_t s = 0; s < count; ++s, ++slot) {
      const double* const flow = flows + int64_t(slot) * cuda::kRowSums;
      const double per_second = account == 0   ? flow[4]
                                : account == 1 ? flow[1]
                                : account == 2 ? decay * flow[0]
                                : account == 3 ? flow[2]
                                               : flow[3];
      const double next = stages[s].next(now, per_second, before);
      before = now;
      now = next;
    }
    budget = budget + now;
  }
  books[account] = budget;
}

extern "C" __global__ void show_values(const double* values, int64_t count, float* shown) {
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    shown[i] = float(values[i]);
}
