// A stage of a substance's equation on a GPU, a row of voxels per warp, and sums for its budget. The
// arithmetic is that of engine/substances/row_worker.cpp, in its order. Compiled behind diffusion_source,
// which says what the substance is like: kiln::form.
#pragma once

#include "engine/cuda/substances/diffusion_tables.hpp"

namespace kiln::device {

using cuda::DiffusionTables;
using cuda::SideKind;

constexpr int kDim = form::kDim;
constexpr Vec3i kVoxels = form::kSize;
constexpr int64_t kRows = int64_t(kVoxels.y) * kVoxels.z;

constexpr bool any_side(SideKind kind) {
  for (int side = 0; side < 2 * kDim; ++side)
    if (!form::kPeriodic[side / 2] && form::kSides[side] == kind) return true;
  return false;
}
constexpr bool kHasFluxes = any_side(SideKind::flux);
constexpr bool kCrossesWalls = kHasFluxes || any_side(SideKind::value);

// A voxel and what surrounds it. What it reads of others than `before` no kernel changes meanwhile.
struct VoxelView {
  const DiffusionTables& tables;
  const double* now;
  Vec3i place;
  int64_t index;
  double c;

  __device__ __forceinline__ VoxelView(const DiffusionTables& t, const double* values, const Vec3i& where,
                                       int64_t number)
      : tables(t), now(values), place(where), index(number), c(__ldg(values + number)) {}

  template <int Axis, bool High>
  __device__ __forceinline__ bool is_last() const {
    return place[Axis] == (High ? kVoxels[Axis] - 1 : 0);
  }
  template <int Axis, bool High>
  __device__ __forceinline__ bool is_at_wall() const {
    return !form::kPeriodic[Axis] && is_last<Axis, High>();
  }
  // How far the next voxel lies in memory; 0 behind a wall.
  template <int Axis, bool High>
  __device__ __forceinline__ int64_t to_next() const {
    constexpr int64_t apart = Axis == 0 ? 1 : Axis == 1 ? kVoxels.x : int64_t(kVoxels.x) * kVoxels.y;
    constexpr int64_t step = High ? apart : -apart;
    return is_last<Axis, High>() ? (form::kPeriodic[Axis] ? step - step * kVoxels[Axis] : 0) : step;
  }
  template <int Axis, bool High>
  __device__ __forceinline__ double beside() const {
    constexpr int side = 2 * Axis + High;
    const double next = __ldg(now + index + to_next<Axis, High>());
    if (form::kPeriodic[Axis] || (Axis > 0 && form::kSides[side] != SideKind::value)) return next;
    return is_at_wall<Axis, High>() ? tables.ghosts[side].beside(c) : next;
  }
  template <int Axis, bool High>
  __device__ __forceinline__ double face() const {
    if (is_at_wall<Axis, High>())
      return form::kSides[2 * Axis + High] == SideKind::value ? __ldg(tables.volume + index) : 0.0;
    return __ldg(tables.low[Axis] + index + (High ? to_next<Axis, true>() : 0));
  }
  __device__ __forceinline__ double open_part() const {
    return form::kObstacles ? __ldg(tables.volume + index) : 1.0;
  }
  template <int Axis>
  __device__ __forceinline__ double open_differences() const {
    return substances::open_differences(c, beside<Axis, false>(), beside<Axis, true>(), face<Axis, false>(),
                                        face<Axis, true>());
  }

  __device__ __forceinline__ double by_exchange() const {
    if constexpr (!form::kObstacles) {
      double zm = c, zp = c;
      if constexpr (kDim == 3) zm = beside<2, false>(), zp = beside<2, true>();
      const double sum = substances::differences<kDim>(c, beside<0, false>(), beside<0, true>(),
                                                       beside<1, false>(), beside<1, true>(), zm, zp);
      return tables.exchange * sum - tables.decay * c;
    } else {
      double sum = 0;
      sum = sum + open_differences<0>();
      sum = sum + open_differences<1>();
      if constexpr (kDim == 3) sum = sum + open_differences<2>();
      const double part = open_part();
      return part > 0 ? tables.exchange * sum / part - tables.decay * c : 0.0;
    }
  }
  __device__ __forceinline__ double taken_up(int k) const {
    const auto* const share = static_cast<const form::Share*>(tables.share[k]);
    return substances::taken_up(c, double(__ldg(share + index)), tables.rate[k], tables.at_most[k]);
  }
  __device__ __forceinline__ double secreted() const {
    const double stored = double(__ldg(static_cast<const form::Secretion*>(tables.secretion) + index));
    return form::kSecretesByShare ? tables.secretion_rate * stored : stored;
  }
  __device__ __forceinline__ bool is_held() const { return form::kHolds && __ldg(tables.held + index) != 0; }

  // Calls work(side, its kind) for every side of the box that the voxel lies at.
  template <class Work>
  __device__ __forceinline__ void each_wall(const Work& work) const {
    each_wall_along<0>(work);
    each_wall_along<1>(work);
    if constexpr (kDim == 3) each_wall_along<2>(work);
  }
  template <int Axis, class Work>
  __device__ __forceinline__ void each_wall_along(const Work& work) const {
    constexpr SideKind low = form::kSides[2 * Axis], high = form::kSides[2 * Axis + 1];
    if (is_at_wall<Axis, false>()) work(2 * Axis, low);
    if (is_at_wall<Axis, true>()) work(2 * Axis + 1, high);
  }
  // Where nothing holds the concentration.
  __device__ __forceinline__ double change() const {
    double change = by_exchange();
    if (form::kSecretes) change = change + secreted();
#pragma unroll
    for (int k = 0; k < form::kUptakes; ++k) change = change - taken_up(k);
    if (kHasFluxes)
      each_wall([&](int side, SideKind kind) {
        if (kind == SideKind::flux) change = change + tables.inflow[side];
      });
    return form::kObstacles && open_part() == 0 ? 0.0 : change;
  }
  // Per second.
  __device__ __forceinline__ double through_walls() const {
    double sum = 0;
    each_wall([&](int side, SideKind kind) {
      if (kind == SideKind::flux) sum = sum + tables.inflow[side];
      if (kind == SideKind::value) sum = sum + tables.exchange * (tables.ghosts[side].beside(c) - c);
    });
    return sum;
  }
};

// Sums of halves, down to the first lane.
__device__ __forceinline__ double sum_of_lanes(double value) {
  for (int half = 16; half > 0; half /= 2) value = value + __shfl_down_sync(~0u, value, half);
  return value;
}

// Calls work(number) for every number below `count`, each by a warp.
template <class Work>
__device__ __forceinline__ void each_by_a_warp(int64_t count, const Work& work) {
  const int64_t warps = int64_t(gridDim.x) * blockDim.x / 32;
  for (int64_t i = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32; i < count; i += warps) work(i);
}

}  // namespace kiln::device

// A stage, into `before`; none where that is a null pointer. And what was there before it, row by row: what
// there is, what is taken up, what comes through walls, what holds concentrations, what is secreted, in five
// arrays; unless `sums` is a null pointer.
extern "C" __global__ void diffuse(const __grid_constant__ kiln::cuda::DiffusionTables tables,
                                   const __grid_constant__ kiln::substances::Stage stage, const double* now,
                                   double* before, double* sums) {
  using namespace kiln;
  using device::kRows, device::kVoxels;
  const int lane = int(threadIdx.x % 32);
  device::each_by_a_warp(kRows, [&](int64_t row) {
    const int64_t first = row * kVoxels.x;
    const int32_t y = int32_t(row % kVoxels.y), z = int32_t(row / kVoxels.y);
    double of_lane[cuda::kRowSums] = {};
#pragma unroll 4
    for (int32_t begin = 0; begin < kVoxels.x; begin += 32) {
      const int32_t x = begin + lane;
      if (kVoxels.x % 32 != 0 && x >= kVoxels.x) break;
      const device::VoxelView view(tables, now, {x, y, z}, first + x);
      const bool held = view.is_held();
      const double change = before != nullptr || form::kHolds ? view.change() : 0.0;
      if (before != nullptr)
        before[view.index] =
            stage.next(view.c, held ? 0.0 : change, stage.has_older ? before[view.index] : 0.0);
      if (sums == nullptr) continue;
      const double part = view.open_part();
      double taken = 0;
#pragma unroll
      for (int k = 0; k < form::kUptakes; ++k) taken = taken + view.taken_up(k);
      of_lane[0] = of_lane[0] + view.c * part;
      if (form::kUptakes > 0) of_lane[1] = of_lane[1] + taken * part;
      if (device::kCrossesWalls) of_lane[2] = of_lane[2] + view.through_walls() * part;
      if (form::kHolds) of_lane[3] = of_lane[3] + (held ? -change : 0.0) * part;
      if (form::kSecretes) of_lane[4] = of_lane[4] + view.secreted() * part;
    }
    if (sums == nullptr) return;
    const bool kept[cuda::kRowSums] = {true, form::kUptakes > 0, device::kCrossesWalls, form::kHolds,
                                       form::kSecretes};
#pragma unroll
    for (int k = 0; k < cuda::kRowSums; ++k) {
      const double sum = kept[k] ? device::sum_of_lanes(of_lane[k]) : 0.0;
      if (lane == 0) sums[k * kRows + row] = sum;
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
                                     const double* held_at, double* now, double* sums) {
  using namespace kiln;
  const int lane = int(threadIdx.x % 32);
  device::each_by_a_warp(device::kRows, [&](int64_t row) {
    double of_lane = 0;
    for (int32_t x = lane; x < device::kVoxels.x; x += 32) {
      const int64_t voxel = row * device::kVoxels.x + x;
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
                                      const double* flows, const double* added, double decay, double mcs,
                                      double* books) {
  using namespace kiln;
  const int account = int(threadIdx.x);
  if (account == cuda::kTotal) {
    const double total = flows[int64_t(count) * steps * cuda::kRowSums];
    books[cuda::kTotal] = total;
    if (substances::overflows(total) && books[cuda::kOverflowMcs] == 0) {
      books[cuda::kOverflowMcs] = mcs;
      books[cuda::kOverflow] = total;
    }
  }
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

// By padded voxel.
extern "C" __global__ void show_values(const double* values, float* shown) {
  using namespace kiln;
  constexpr Lattice voxels{form::kSize, form::kPeriodic, form::kDim};
  const Lattice around = padded(voxels);
  const int64_t count = around.sites(), stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride)
    shown[i] = float(values[voxels.index(voxel_at_padded(voxels, around.position(i)))]);
}
