// The stages between two MCS, on the device, whatever the schedule (see engine/host/between_mcs.hpp): work
// split over a range of threads.
#pragma once

#include "engine/cuda/device_world.cuh"

namespace kiln::device {

// Turns persistent cells at the end of MCS number `mcs`.
__device__ __forceinline__ void turn_cells(const ThreadRange& threads, const StateTables& tables,
                                           int64_t mcs) {
  const Physics physics = model::physics();
  for (int64_t cell = threads.rank + 1; cell < tables.cells; cell += threads.count) {
    const int32_t volume = tables.extents[cell].volume;
    if (volume == 0) continue;
    persistence::turn(physics.types[type_of(tables, CellId(cell))].persistence, mcs,
                      centroid_of(anchor_of(tables, CellId(cell)), tables.sums[cell], volume),
                      tables.directions[cell].along, tables.history + cell * model::kHistory);
  }
}

// Gives far cells new anchors and marks them.
__device__ __forceinline__ void move_far_anchors(const ThreadRange& threads, const StateTables& tables) {
  for (int64_t cell = threads.rank + 1; cell < tables.cells; cell += threads.count) {
    const bool moved =
        move_anchor(kWhole, tables.extents[cell].volume, tables.anchors[cell], tables.sums[cell]);
    tables.moved[cell] = moved;
    if (model::kMoments && moved) tables.moments[cell] = {};
    if (moved) *tables.anchors_moved = 1;
  }
}

__device__ __forceinline__ void add_run(const StateTables& tables, CellId cell, const Vec3i& sum,
                                        const Moments& moments) {
  for (int axis = 0; axis < kDim; ++axis) add(&tables.sums[cell][axis], sum[axis]);
  if (model::kMoments)
    for (int k = 0; k < Moments::count(kDim); ++k) add(&tables.moments[cell].of[k], moments.of[k]);
}

// Adds up centroid sums, and moments where there are any, from a small lattice: of all tracked cells, or of
// the marked ones. Runs of one cell along x are added at once. (A large one is counted box by box:
// box_sums.cuh.)
__device__ __forceinline__ void add_up_sums(const ThreadRange& threads, const StateTables& tables,
                                            bool marked_only) {
  constexpr int kStretch = 16;  // sites per thread
  constexpr Lattice lattice = kLattice;
  const Box own = own_sites(tables);
  const Word* sites = static_cast<const Word*>(tables.sites);
  const int64_t rows = int64_t(lattice.size.y) * lattice.size.z,
                parts = (lattice.size.x + kStretch - 1) / kStretch;
  for (int64_t i = threads.rank; i < rows * parts; i += threads.count) {
    const int64_t row = i / parts;
    const int32_t first = int32_t(i - row * parts) * kStretch;
    const int32_t last = first + kStretch < lattice.size.x ? first + kStretch : lattice.size.x;
    Vec3i place{first, int32_t(row % lattice.size.y), int32_t(row / lattice.size.y)};
    CellId cell = kMedium;  // of the run; the medium stands for all that are not counted
    Vec3i anchor, sum;
    Moments moments;
    for (; place.x <= last; ++place.x) {
      CellId next = place.x < last && is_own(own, place) ? id_of(sites[row * kRow + place.x]) : kMedium;
      if (next != kMedium && (tables.extents[next].volume == 0 || (marked_only && tables.moved[next] == 0)))
        next = kMedium;
      if (next != cell) {
        if (cell != kMedium) add_run(tables, cell, sum, moments);
        cell = next;
        if (cell != kMedium) anchor = tables.anchors[cell];
        sum = {0, 0, 0};
        moments = {};
      }
      if (cell == kMedium) continue;
      const Vec3i offset = offset_from_anchor(kWhole, anchor, place);
      sum = sum + offset;
      if (model::kMoments) moments.add(offset, +1, kDim);
    }
  }
}

// Sets stale stamps of Act back to the clock, before they wrap around.
__device__ __forceinline__ void set_stamps_back(const ThreadRange& threads, const StateTables& tables,
                                                uint32_t clock) {
  Word* sites = static_cast<Word*>(tables.sites);
  for (int64_t site = threads.rank; site < kWords; site += threads.count) {
    const Word word = sites[site];
    if (kRow > model::kSize.x && word == ~Word(0)) continue;  // between two rows
    if (act_of(word, clock) == 0) sites[site] = word_of(id_of(word), clock);
  }
}

}  // namespace kiln::device
