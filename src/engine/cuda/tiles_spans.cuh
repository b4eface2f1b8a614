// Which stretches of the lattice the `tiles` schedule can pass over: a kernel that runs once, when a phase
// begins.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles_data.hpp"

// Where in every row of the lattice the sites lie that are not frozen: one warp per row.
extern "C" __global__ void find_spans(const __grid_constant__ kiln::cuda::TilesTables tables) {
  using namespace kiln;
  constexpr Lattice lattice = device::kLattice;
  const device::Word* sites = static_cast<const device::Word*>(tables.state.sites);
  const int64_t rows = int64_t(lattice.size.y) * lattice.size.z;
  for (int64_t row = device::thread_number() / 32; row < rows; row += device::thread_count() / 32) {
    int32_t begin = lattice.size.x, end = 0;
    for (int32_t x = int32_t(threadIdx.x % 32); x < lattice.size.x; x += 32) {
      const CellId id = device::id_of(sites[row * lattice.size.x + x]);
      if (device::is_frozen(device::type_of(tables.state, id))) continue;
      begin = min(begin, x);
      end = max(end, x + 1);
    }
    for (int step = 16; step > 0; step /= 2) {
      begin = min(begin, __shfl_xor_sync(~0u, begin, step));
      end = max(end, __shfl_xor_sync(~0u, end, step));
    }
    if (threadIdx.x % 32 == 0) tables.spans[row] = {begin, end};
  }
}
