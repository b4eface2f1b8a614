// A module of its own, compiled where cells live: beside it the compiler makes another `play`.
#pragma once

#include "engine/cuda/living/living_tables.hpp"
#include "engine/cuda/tiles/live.cuh"

// Around sites that have got another cell, or a cell that has got another type, between two MCS.
extern "C" __global__ void mark_live(const __grid_constant__ kiln::cuda::TilesTables tables,
                                     const kiln::cuda::ChangedSite* changed, int64_t count) {
  using namespace kiln;
  const device::ThreadRange threads = device::whole_grid();
  for (int64_t i = threads.rank; i < count; i += threads.count)
    device::LiveMap(tables.live).mark_around(device::kLattice.position(changed[i].site));
}

