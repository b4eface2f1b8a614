// Centroid sums, counted from a whole lattice by a whole grid.
#pragma once

#include "engine/cuda/device_world.cuh"

namespace kiln::device {

// Sums of the cells in a small box of sites, each a row of 32, as one warp finds them: first together, then
// to the cells' tables, with an addition per cell and box in place of one per run of sites.
constexpr int kBoxHeight = kDim == 3 ? 8 : 32, kBoxDepth = kDim == 3 ? 4 : 1;

class BoxSums {
 public:
  __device__ __forceinline__ void clear(int lane) {
    for (int slot = lane; slot < kSlots; slot += 32) reset(slot);
    __syncwarp();
  }

  // Sums of the offsets of a few sites.
  __device__ __forceinline__ void add(const StateTables& tables, CellId cell, const Vec3i& sum) {
    uint32_t slot = cell * 2654435761u >> (32 - kSlotBits);  // 2^32 over the golden ratio
    for (int tries = 0; kFits && tries < kTries; ++tries, slot = (slot + 1) % kSlots) {
      const CellId found = atomicCAS(&cells_[slot], kMedium, cell);
      if (found != kMedium && found != cell) continue;
#pragma unroll
      for (int axis = 0; axis < kDim; ++axis) atomicAdd(&sums_[axis][slot], sum[axis]);
      return;
    }
#pragma unroll
    for (int axis = 0; axis < kDim; ++axis) device::add(&tables.sums[cell][axis], sum[axis]);
  }

  __device__ __forceinline__ void hand_over(const StateTables& tables, int lane) {
    __syncwarp();
    for (int slot = lane; slot < kSlots; slot += 32) {
      if (cells_[slot] == kMedium) continue;
#pragma unroll
      for (int axis = 0; axis < kDim; ++axis)
        device::add(&tables.sums[cells_[slot]][axis], sums_[axis][slot]);
      reset(slot);
    }
    __syncwarp();
  }

 private:
  static constexpr int kSlotBits = 6, kSlots = 1 << kSlotBits, kTries = 8;
  // Whether the offsets of all sites of a box add up to less than 2^31.
  static constexpr int32_t kLongest = 1 << 21;
  static constexpr bool kFits =
      model::kSize.x <= kLongest && model::kSize.y <= kLongest && model::kSize.z <= kLongest;
  static_assert(int64_t(32) * kBoxHeight * kBoxDepth * kLongest <= int64_t(1) << 31);

  __device__ __forceinline__ void reset(int slot) {
    cells_[slot] = kMedium;
    for (int axis = 0; axis < kDim; ++axis) sums_[axis][slot] = 0;
  }

  CellId cells_[kSlots];
  int32_t sums_[kDim][kSlots];
};

// Of `count` sites of a row, from `place` on.
__device__ __forceinline__ Vec3i sum_of_offsets(const Vec3i& anchor, const Vec3i& place, int count) {
  const Vec3i first = offset_from_anchor(kLattice, anchor, place);
  Vec3i sum{first.x * count + count * (count - 1) / 2, first.y * count, first.z * count};
  if (!model::kPeriodic.x) return sum;
  if (offset_from_anchor(kLattice, 0, anchor.x, place.x + count - 1) - first.x == count - 1) return sum;
  sum.x = 0;  // offsets jump on the other side of the box
  for (int i = 0; i < count; ++i) sum.x += offset_from_anchor(kLattice, 0, anchor.x, place.x + i);
  return sum;
}

}  // namespace kiln::device

// Adds up centroid sums from the lattice: of all tracked cells, or of the marked ones.
extern "C" __global__ void __launch_bounds__(kiln::cuda::kSimpleThreads, kiln::cuda::kSimpleBlocks)
    count_sums(const __grid_constant__ kiln::cuda::StateTables tables, bool marked_only) {
  using namespace kiln;
  using namespace kiln::device;
  constexpr int64_t kAcross = (model::kSize.x + 31) / 32,
                    kUp = (model::kSize.y + kBoxHeight - 1) / kBoxHeight,
                    kBoxes = kAcross * kUp * ((model::kSize.z + kBoxDepth - 1) / kBoxDepth);
  __shared__ BoxSums sums_of_warps[cuda::kSimpleThreads / 32];
  BoxSums& sums = sums_of_warps[threadIdx.x / 32];
  const int lane = threadIdx.x % 32;
  const Word* sites = static_cast<const Word*>(tables.sites);
  sums.clear(lane);
  for (int64_t box = thread_number() / 32; box < kBoxes; box += thread_count() / 32) {
    const int32_t x = int32_t(box % kAcross) * 32 + lane, first_y = int32_t(box / kAcross % kUp) * kBoxHeight;
    for (int layer = 0; layer < kBoxDepth; ++layer) {
      const int32_t z = int32_t(box / (kAcross * kUp)) * kBoxDepth + layer;
      CellId cells[kBoxHeight];  // the medium stands for all that are not counted
#pragma unroll
      for (int i = 0; i < kBoxHeight; ++i) {
        const bool inside = x < model::kSize.x && first_y + i < model::kSize.y && z < model::kSize.z;
        cells[i] = inside ? id_of(sites[kLattice.index({x, first_y + i, z})]) : kMedium;
      }
#pragma unroll
      for (int i = 0; i < kBoxHeight; ++i) {
        CellId cell = cells[i];
        if (cell != kMedium && (is_frozen(type_of(tables, cell)) || (marked_only && tables.moved[cell] == 0)))
          cell = kMedium;
        // The first lane of every run of one cell adds up the run.
        const CellId before = __shfl_up_sync(~0u, cell, 1);
        const bool begins = lane == 0 || cell != before;
        const uint32_t later = __ballot_sync(~0u, begins) & ~1u << lane;
        if (!begins || cell == kMedium) continue;
        const int count = (later != 0 ? __ffs(int(later)) - 1 : 32) - lane;
        sums.add(tables, cell, sum_of_offsets(tables.anchors[cell], {x, first_y + i, z}, count));
      }
      __syncwarp();
    }
    sums.hand_over(tables, lane);
  }
}
