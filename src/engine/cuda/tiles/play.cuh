// One simulation, played by all blocks of a grid.
#pragma once

#include "engine/cuda/between/kernels.cuh"
#include "engine/cuda/living/living_tables.hpp"
#include "engine/cuda/tiles/player.cuh"

extern "C" __global__ void __launch_bounds__(32 * kiln::model::kWarpsPerBlock, 1)
    play(const __grid_constant__ kiln::cuda::TilesTables tables,
         const __grid_constant__ kiln::cuda::Span span) {
  using namespace kiln;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  device::Shared& shared = *reinterpret_cast<device::Shared*>(shared_memory);
  device::fill_tables(shared);
  device::Player(tables, shared, {}).play(span, [](int64_t) {});
}

extern "C" __global__ void find_live(const __grid_constant__ kiln::cuda::TilesTables tables) {
  kiln::device::find_live(kiln::device::whole_grid(), tables);
}

// Around sites that have got another cell, or a cell that has got another type, between two MCS.
extern "C" __global__ void mark_live(const __grid_constant__ kiln::cuda::TilesTables tables,
                                     const kiln::cuda::ChangedSite* changed, int64_t count) {
  using namespace kiln;
  const device::ThreadRange threads = device::whole_grid();
  for (int64_t i = threads.rank; i < count; i += threads.count)
    device::LiveMap(tables.live).mark_around(device::kLattice.position(changed[i].site));
}
