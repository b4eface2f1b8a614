// Centroid sums, counted from a whole lattice by a whole grid.
#pragma once

#include "engine/cuda/between/between_mcs.cuh"

namespace kiln::device {

// A warp counts one box of sites after the other. Eight lanes go along its rows, with a piece of four sites
// each, and four times eight go through as many parts of the box: lanes that count at the same time seldom
// count the same cell.
constexpr int kPieceSites = 4;
constexpr Vec3i kBox = kDim == 3 ? Vec3i{32, 8, 4} : Vec3i{32, 32, 1};
constexpr Vec3i kBoxPart = kDim == 3 ? Vec3i{32, 4, 2} : Vec3i{32, 8, 1};
constexpr Vec3i kBoxes{(model::kSize.x + kBox.x - 1) / kBox.x, (model::kSize.y + kBox.y - 1) / kBox.y,
                       (model::kSize.z + kBox.z - 1) / kBox.z};

// Hash table of a box: for every cell, the number of its sites and the sums of their places, from the box's
// corner on. So the cells' tables change once per cell and box, and anchors are looked up as often.
class BoxCounts {
 public:
  struct Share {
    int32_t sites;
    Vec3i sum;
  };

  __device__ __forceinline__ void clear(uint32_t lane) {
    for (uint32_t slot = lane; slot < kSlots; slot += 32) reset(slot);
    crowded_ = false;
    __syncwarp();
  }
  // Adds some sites of a row, packed: count << 16 | sum of x; and z << 16 | y of the row.
  __device__ __forceinline__ void add(CellId cell, uint32_t sites_and_x, uint32_t z_and_y) {
    uint32_t slot = cell * 2654435761u >> (32 - kSlotBits);  // 2^32 over the golden ratio
    if (!takes(slot, cell)) {
      int tries = kTries;
      do slot = (slot + 1) % kSlots;
      while (!takes(slot, cell) && --tries > 0);
      if (tries == 0) {
        slot = kSlots;  // a dummy that is never read
        crowded_ = true;
      }
    }
    atomicAdd(&sites_and_x_[slot], sites_and_x);
    atomicAdd(&z_and_y_[slot], (sites_and_x >> 16) * z_and_y);
  }
  // Whether the table had no room for some cell.
  __device__ __forceinline__ bool is_crowded() const { return crowded_; }
  // Calls take(cell, share) for all cells, and empties the table.
  template <class Take>
  __device__ __forceinline__ void take_all(uint32_t lane, const Take& take) {
    __syncwarp();
    uint32_t used = 0;
    for (uint32_t slot = lane; slot < kSlots; slot += 32)
      used += compact(cells_[slot] != kMedium, lane,
                      [&](uint32_t place) { used_[used + place] = uint8_t(slot); });
    __syncwarp();
    for (uint32_t i = lane; i < used; i += 32) {
      const uint32_t slot = used_[i], sites_and_x = sites_and_x_[slot], z_and_y = z_and_y_[slot];
      const Vec3i sum{int32_t(sites_and_x & 0xFFFF), int32_t(z_and_y & 0xFFFF), int32_t(z_and_y >> 16)};
      take(cells_[slot], Share{int32_t(sites_and_x >> 16), sum});
      reset(slot);
    }
    crowded_ = false;
    __syncwarp();
  }

 private:
  static constexpr int kSlotBits = 8, kTries = 16;
  static constexpr uint32_t kSlots = 1 << kSlotBits;
  // The sum over all sites of a box fits into 16 bits, and so does their number.
  static_assert(kBox.x <= 32 && kBox.y <= 32 && kBox.z <= 32 && kBox.x * kBox.y * kBox.z * 31 < 1 << 16);

  // Whether a slot is the cell's, or becomes it.
  __device__ __forceinline__ bool takes(uint32_t slot, CellId cell) {
    const CellId found = atomicCAS(&cells_[slot], kMedium, cell);
    return found == kMedium || found == cell;
  }
  __device__ __forceinline__ void reset(uint32_t slot) {
    cells_[slot] = kMedium;
    sites_and_x_[slot] = z_and_y_[slot] = 0;
  }

  CellId cells_[kSlots];
  uint32_t sites_and_x_[kSlots + 1], z_and_y_[kSlots + 1];
  uint8_t used_[kSlots];
  bool crowded_;
};

class BoxCounter {
 public:
  __device__ BoxCounter(const StateTables& tables, BoxCounts& counts, bool marked_only)
      : tables_(tables),
        sites_(static_cast<const Word*>(tables.sites)),
        counts_(counts),
        marked_only_(marked_only),
        own_(own_sites(tables)),
        lane_(threadIdx.x % 32) {}

  // Adds the sums of a box to those of its cells.
  __device__ __forceinline__ void count(const Vec3i& corner) {
    const int part = int(lane_) / 8;
    const Vec3i from{int(lane_) % 8 * kPieceSites, (kDim == 3 ? part % 2 : part) * kBoxPart.y,
                     (kDim == 3 ? part / 2 : 0) * kBoxPart.z};
    constexpr int kRows = kBoxPart.y * kBoxPart.z, kTogether = 2;
#pragma unroll 1
    for (int row = 0; row < kRows; row += kTogether) {
      Vec3i places[kTogether];
      Piece pieces[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        places[k] = from + Vec3i{0, (row + k) % kBoxPart.y, (row + k) / kBoxPart.y};
        pieces[k] = piece_at(corner + places[k]);
      }
#pragma unroll
      for (int k = 0; k < kTogether; ++k) add_runs(pieces[k], places[k]);
    }
    const bool crowded = counts_.is_crowded();
    counts_.take_all(lane_, [&](CellId cell, const BoxCounts::Share& share) {
      if (!crowded && is_counted(cell)) add_share(cell, corner, share);
    });
    if (crowded) add_site_by_site(corner, kMedium, int(lane_), 32);
  }

 private:
  struct Piece {
    CellId cells[kPieceSites];  // the medium stands for all that are not counted
  };

  __device__ __forceinline__ Piece piece_at(const Vec3i& place) const {
    Piece piece{};
    if (!kLattice.contains(place)) return piece;
    const Word* const from = sites_ + index(place);
    Word words[kPieceSites]{};
    if constexpr (sizeof(Word) == 4 && kRow % kPieceSites == 0) {
      const uint4 all = *reinterpret_cast<const uint4*>(from);
      words[0] = all.x, words[1] = all.y, words[2] = all.z, words[3] = all.w;
    } else {
#pragma unroll
      for (int k = 0; k < kPieceSites; ++k)
        if (place.x + k < kRow) words[k] = from[k];
    }
#pragma unroll
    for (int k = 0; k < kPieceSites; ++k) {
      const CellId cell = id_of(words[k]);
      const bool counts = !is_of_frozen(tables_, cell) && is_own(own_, place + Vec3i{k, 0, 0});
      piece.cells[k] = counts ? cell : kMedium;
    }
    return piece;
  }

  // Runs of one cell are counted at their ends.
  __device__ __forceinline__ void add_runs(const Piece& piece, const Vec3i& place) const {
    const uint32_t z_and_y = uint32_t(place.z) << 16 | uint32_t(place.y);
    uint32_t before = 0;
#pragma unroll
    for (int k = 0; k < kPieceSites; ++k) {
      // The sites of the piece up to this one, and the sum of their x.
      const uint32_t so_far = uint32_t(k + 1) * (1u << 16 | uint32_t(place.x)) + uint32_t(k * (k + 1) / 2);
      const CellId cell = piece.cells[k];
      const bool ends = k + 1 == kPieceSites || cell != piece.cells[k + 1];
      if (ends && cell != kMedium) counts_.add(cell, so_far - before, z_and_y);
      if (ends) before = so_far;
      __syncwarp();  // reconverge: otherwise the warp stays diverged
    }
  }

  __device__ __forceinline__ bool is_counted(CellId cell) const {
    return !marked_only_ || tables_.moved[cell] != 0;
  }
  // Adds a box's share of a cell.
  __device__ __forceinline__ void add_share(CellId cell, const Vec3i& corner,
                                            const BoxCounts::Share& share) const {
    const Vec3i anchor = tables_.anchors[cell];
    Vec3i first;
    bool jumps = false;
#pragma unroll
    for (int axis = 0; axis < kDim; ++axis) {
      first[axis] = offset_from_anchor(kWhole, axis, anchor[axis], corner[axis]);
      if (!kWhole.periodic[axis]) continue;
      const int32_t last = min(corner[axis] + kBox[axis], model::kSize[axis]) - 1;
      jumps |= offset_from_anchor(kWhole, axis, anchor[axis], last) - first[axis] != last - corner[axis];
    }
    if (jumps) return add_site_by_site(corner, cell, 0, 1);
#pragma unroll
    for (int axis = 0; axis < kDim; ++axis)
      add(&tables_.sums[cell][axis], int64_t(first[axis]) * share.sites + share.sum[axis]);
  }
  // Where a box has more cells than there is room for, or a cell's offsets jump inside it, half the lattice
  // away from the anchor: the sites of one cell, or of all (`only` is the medium then).
  __device__ __forceinline__ void add_site_by_site(const Vec3i& corner, CellId only, int first,
                                                   int step) const {
    for (int i = first; i < kBox.x * kBox.y * kBox.z; i += step) {
      const Vec3i place = corner + Vec3i{i % kBox.x, i / kBox.x % kBox.y, i / (kBox.x * kBox.y)};
      if (!kLattice.contains(place) || !is_own(own_, place)) continue;
      const CellId cell = id_of(sites_[index(place)]);
      const bool wanted = only != kMedium
                              ? cell == only
                              : cell != kMedium && !is_of_frozen(tables_, cell) && is_counted(cell);
      if (!wanted) continue;
      const Vec3i offset = offset_from_anchor(kWhole, tables_.anchors[cell], place);
      for (int axis = 0; axis < kDim; ++axis) add(&tables_.sums[cell][axis], offset[axis]);
    }
  }

  const StateTables& tables_;
  const Word* sites_;
  BoxCounts& counts_;
  bool marked_only_;
  Box own_;
  uint32_t lane_;
};

// A lattice that is but a few boxes long: offsets would jump in many of them. Boxes have no room for squares.
constexpr bool kFewBoxes = model::kMoments || (kWhole.periodic.x && kWhole.size.x <= 3 * kBox.x) ||
                           (kWhole.periodic.y && kWhole.size.y <= 3 * kBox.y) ||
                           (kDim == 3 && kWhole.periodic.z && kWhole.size.z <= 3 * kBox.z);

// All blocks are resident, with few registers each. That was measured; for other architectures the compiler
// may need more.
constexpr int kResidentBlocks = __CUDA_ARCH__ == 900 ? cuda::kGridStrideBlocks : 1;

}  // namespace kiln::device

// Adds up centroid sums from the lattice: of all tracked cells, or of the marked ones.
extern "C" __global__ void __launch_bounds__(kiln::cuda::kGridStrideThreads, kiln::device::kResidentBlocks)
    count_sums(const __grid_constant__ kiln::cuda::StateTables tables, bool marked_only) {
  using namespace kiln;
  using namespace kiln::device;
  if constexpr (kFewBoxes) {
    add_up_sums(whole_grid(), tables, marked_only);
  } else {
    __shared__ BoxCounts counts_of_warps[cuda::kGridStrideThreads / 32];
    BoxCounts& counts = counts_of_warps[threadIdx.x / 32];
    counts.clear(threadIdx.x % 32);
    BoxCounter counter(tables, counts, marked_only);
    constexpr int64_t kAll = int64_t(kBoxes.x) * kBoxes.y * kBoxes.z;
    for (int64_t box = thread_number() / 32; box < kAll; box += thread_count() / 32)
      counter.count({int32_t(box % kBoxes.x) * kBox.x, int32_t(box / kBoxes.x % kBoxes.y) * kBox.y,
                     int32_t(box / (int64_t(kBoxes.x) * kBoxes.y)) * kBox.z});
  }
}
