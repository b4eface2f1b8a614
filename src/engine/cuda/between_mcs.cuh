// What happens between two MCS, on the device, whatever the schedule (see engine/bookkeeping.hpp). Their
// names are what DeviceState looks for.
#pragma once

#include "engine/cuda/device_world.cuh"

// Turns persistent cells at the end of MCS number `mcs`.
extern "C" __global__ void turn(const __grid_constant__ kiln::cuda::StateTables tables, int64_t mcs) {
  using namespace kiln;
  const Physics physics = model::physics();
  for (int64_t cell = device::thread_number() + 1; cell < tables.cells; cell += device::thread_count()) {
    const int32_t volume = tables.extents[cell].volume;
    if (volume == 0) continue;
    persistence::turn(physics.types[device::type_of(tables, CellId(cell))].persistence, mcs,
                      centroid_of(tables.anchors[cell], tables.sums[cell], volume), tables.directions[cell],
                      tables.history + cell * model::kHistory);
  }
}

// Gives far cells new anchors and marks them.
extern "C" __global__ void move_anchors(const __grid_constant__ kiln::cuda::StateTables tables) {
  using namespace kiln;
  for (int64_t cell = device::thread_number() + 1; cell < tables.cells; cell += device::thread_count()) {
    const bool moved =
        move_anchor(device::kLattice, tables.extents[cell].volume, tables.anchors[cell], tables.sums[cell]);
    tables.moved[cell] = moved;
    if (moved) *tables.anchors_moved = 1;
  }
}

// Adds up centroid sums from the lattice: of all tracked cells, or of the marked ones. Runs of one cell along
// x are added at once.
extern "C" __global__ void count_sums(const __grid_constant__ kiln::cuda::StateTables tables,
                                      bool marked_only) {
  using namespace kiln;
  constexpr int kStretch = 16;  // sites per thread
  constexpr Lattice lattice = device::kLattice;
  const device::Word* sites = static_cast<const device::Word*>(tables.sites);
  const int64_t rows = int64_t(lattice.size.y) * lattice.size.z,
                parts = (lattice.size.x + kStretch - 1) / kStretch;
  for (int64_t i = device::thread_number(); i < rows * parts; i += device::thread_count()) {
    const int64_t row = i / parts;
    const int32_t first = int32_t(i - row * parts) * kStretch;
    const int32_t last = first + kStretch < lattice.size.x ? first + kStretch : lattice.size.x;
    Vec3i place{first, int32_t(row % lattice.size.y), int32_t(row / lattice.size.y)};
    CellId cell = kMedium;  // of the run; the medium stands for all that are not counted
    Vec3i anchor, sum;
    for (; place.x <= last; ++place.x) {
      CellId next = place.x < last ? device::id_of(sites[row * lattice.size.x + place.x]) : kMedium;
      if (next != kMedium && (tables.extents[next].volume == 0 || (marked_only && tables.moved[next] == 0)))
        next = kMedium;
      if (next != cell) {
        if (cell != kMedium)
          for (int axis = 0; axis < lattice.dimension; ++axis)
            device::add(&tables.sums[cell][axis], sum[axis]);
        cell = next;
        if (cell != kMedium) anchor = tables.anchors[cell];
        sum = {0, 0, 0};
      }
      if (cell != kMedium) sum = sum + offset_from_anchor(lattice, anchor, place);
    }
  }
}

// The cells with ids from `first` to before `first + count` on the host, in the host's order.
extern "C" __global__ void put_in_order(const __grid_constant__ kiln::cuda::StateTables tables,
                                        const kiln::CellId* device_ids, int64_t first, int64_t count,
                                        kiln::cuda::HostCell* to) {
  using namespace kiln;
  for (int64_t i = device::thread_number(); i < count; i += device::thread_count()) {
    const CellId cell = device_ids[first + i];
    to[i] = {tables.extents[cell], tables.anchors[cell], 0, tables.sums[cell]};
  }
}

// Sets stale stamps of Act back to the clock, before they come round.
extern "C" __global__ void refresh_stamps(const __grid_constant__ kiln::cuda::StateTables tables,
                                          uint32_t clock) {
  using namespace kiln;
  device::Word* sites = static_cast<device::Word*>(tables.sites);
  for (int64_t site = device::thread_number(); site < device::kLattice.sites();
       site += device::thread_count()) {
    const device::Word word = sites[site];
    if (device::act_of(word, clock) == 0) sites[site] = device::word_of(device::id_of(word), clock);
  }
}
