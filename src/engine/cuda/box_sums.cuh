// Centroid sums, counted from a whole lattice by a whole grid.
#pragma once

#include "engine/cuda/device_world.cuh"

namespace kiln::device {

// A warp goes through the lattice in small boxes of sites, rows of 32.
constexpr Vec3i kBox{32, kDim == 3 ? 8 : 32, kDim == 3 ? 4 : 1};
constexpr int kRowsTogether = 4;  // to overlap their loads
static_assert(kBox.y % kRowsTogether == 0);

// Some sites of one cell in a row.
struct Run {
  CellId cell;
  uint32_t code;  // its first site's place in the box, and how many there are

  static __device__ __forceinline__ Run of(CellId cell, const Vec3i& first, int count) {
    return {cell, uint32_t(first.x | first.y << 5 | first.z << 10 | count << 16)};
  }
  __device__ __forceinline__ Vec3i first() const {
    return {int32_t(code & 31), int32_t(code >> 5 & 31), int32_t(code >> 10 & 31)};
  }
  __device__ __forceinline__ int count() const { return int(code >> 16); }

  // Of the sites' offsets from an anchor; `corner` is where the box begins.
  __device__ __forceinline__ Vec3i sum_of_offsets(const Vec3i& anchor, const Vec3i& corner) const {
    const Vec3i place = corner + this->first();
    const int sites = this->count();
    const Vec3i first = offset_from_anchor(kLattice, anchor, place);
    Vec3i sum{first.x * sites + sites * (sites - 1) / 2, first.y * sites, first.z * sites};
    if (!model::kPeriodic.x) return sum;
    if (offset_from_anchor(kLattice, 0, anchor.x, place.x + sites - 1) - first.x == sites - 1) return sum;
    sum.x = 0;  // offsets jump on the other side of the box
    for (int i = 0; i < sites; ++i) sum.x += offset_from_anchor(kLattice, 0, anchor.x, place.x + i);
    return sum;
  }
};

// Sums of the cells in a box, as one warp finds them: first together, then to the cells' tables, with an
// addition per cell and box in place of one per run.
class BoxSums {
 public:
  __device__ __forceinline__ void clear(int lane) {
    for (int slot = lane; slot < kSlots; slot += 32) reset(slot);
    __syncwarp();
  }

  __device__ __forceinline__ void add(const StateTables& tables, CellId cell, const Vec3i& sum) {
    uint32_t slot = cell * 2654435761u >> (32 - kSlotBits);  // 2^32 over the golden ratio
#pragma unroll 1
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
  static_assert(int64_t(kBox.x) * kBox.y * kBox.z * kLongest <= int64_t(1) << 31);

  __device__ __forceinline__ void reset(int slot) {
    cells_[slot] = kMedium;
    for (int axis = 0; axis < kDim; ++axis) sums_[axis][slot] = 0;
  }

  CellId cells_[kSlots];
  int32_t sums_[kDim][kSlots];
};

// One warp's. A row has few runs, so they wait until there are 32 to add up.
class BoxCounter {
 public:
  struct Room {
    BoxSums sums;
    Run runs[31 + 32 * kRowsTogether];
  };

  __device__ BoxCounter(const StateTables& tables, Room& room)
      : tables_(tables), room_(room), lane_(int(threadIdx.x % 32)) {
    room_.sums.clear(lane_);
  }

  __device__ __forceinline__ void count(const Vec3i& corner, bool marked_only) {
#pragma unroll 1
    for (int row = 0; row < kBox.y * kBox.z; row += kRowsTogether) {
      const Vec3i first{lane_, row % kBox.y, row / kBox.y};
      CellId cells[kRowsTogether];
#pragma unroll
      for (int i = 0; i < kRowsTogether; ++i)
        cells[i] = cell_at(corner + first + Vec3i{0, i, 0}, marked_only);
#pragma unroll
      for (int i = 0; i < kRowsTogether; ++i) find_runs(cells[i], first + Vec3i{0, i, 0});
      add_up(corner, 31);
    }
    add_up(corner, 0);
    room_.sums.hand_over(tables_, lane_);
  }

 private:
  // The medium stands for all that are not counted.
  __device__ __forceinline__ CellId cell_at(const Vec3i& place, bool marked_only) const {
    if (place.x >= model::kSize.x || place.y >= model::kSize.y || place.z >= model::kSize.z) return kMedium;
    const CellId cell = id_of(static_cast<const Word*>(tables_.sites)[kLattice.index(place)]);
    const bool counts =
        cell != kMedium && !is_frozen(type_of(tables_, cell)) && !(marked_only && tables_.moved[cell] == 0);
    return counts ? cell : kMedium;
  }

  // Every lane has a cell of one row; the first lane of a run notes it.
  __device__ __forceinline__ void find_runs(CellId cell, const Vec3i& place) {
    const CellId before = __shfl_up_sync(~0u, cell, 1);
    const bool begins = lane_ == 0 || cell != before, counts = begins && cell != kMedium;
    const uint32_t later = __ballot_sync(~0u, begins) & ~1u << lane_;
    const uint32_t all = __ballot_sync(~0u, counts);
    if (counts)
      room_.runs[waiting_ + __popc(all & ((1u << lane_) - 1))] =
          Run::of(cell, place, (later != 0 ? __ffs(int(later)) - 1 : 32) - lane_);
    waiting_ += __popc(all);
  }

  // Until no more than `enough` wait.
  __device__ __forceinline__ void add_up(const Vec3i& corner, int enough) {
    __syncwarp();
    while (waiting_ > enough) {
      const int first = max(waiting_ - 32, 0);
      if (first + lane_ < waiting_) {
        const Run run = room_.runs[first + lane_];
        room_.sums.add(tables_, run.cell, run.sum_of_offsets(tables_.anchors[run.cell], corner));
      }
      waiting_ = first;
    }
    __syncwarp();
  }

  const StateTables& tables_;
  Room& room_;
  int lane_;
  int waiting_ = 0;
};

}  // namespace kiln::device

// Adds up centroid sums from the lattice: of all tracked cells, or of the marked ones.
extern "C" __global__ void __launch_bounds__(kiln::cuda::kSimpleThreads, kiln::cuda::kSimpleBlocks)
    count_sums(const __grid_constant__ kiln::cuda::StateTables tables, bool marked_only) {
  using namespace kiln;
  using namespace kiln::device;
  constexpr int64_t kAcross = (model::kSize.x + kBox.x - 1) / kBox.x,
                    kUp = (model::kSize.y + kBox.y - 1) / kBox.y,
                    kBoxes = kAcross * kUp * ((model::kSize.z + kBox.z - 1) / kBox.z);
  __shared__ BoxCounter::Room rooms[cuda::kSimpleThreads / 32];
  BoxCounter counter(tables, rooms[threadIdx.x / 32]);
  for (int64_t box = thread_number() / 32; box < kBoxes; box += thread_count() / 32)
    counter.count({int32_t(box % kAcross) * kBox.x, int32_t(box / kAcross % kUp) * kBox.y,
                   int32_t(box / (kAcross * kUp)) * kBox.z},
                  marked_only);
}
