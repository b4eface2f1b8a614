// Which stretches of the lattice the `tiles` schedule can pass over. Looked for once, when a phase begins.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles_data.hpp"

namespace kiln::device {

// Where in every row of the lattice the sites lie that are not frozen: one warp per row.
__device__ __forceinline__ void find_live_spans(const Party& party, const cuda::TilesTables& tables) {
  constexpr Lattice lattice = kLattice;
  const Word* sites = static_cast<const Word*>(tables.state.sites);
  const int64_t rows = int64_t(lattice.size.y) * lattice.size.z;
  for (int64_t row = party.number / 32; row < rows; row += party.count / 32) {
    int32_t begin = lattice.size.x, end = 0;
    for (int32_t x = int32_t(threadIdx.x % 32); x < lattice.size.x; x += 32) {
      const CellId id = id_of(sites[row * lattice.size.x + x]);
      if (is_frozen(type_of(tables.state, id))) continue;
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

}  // namespace kiln::device
