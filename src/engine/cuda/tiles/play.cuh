// One simulation, played by all blocks of a grid.
#pragma once

#include "engine/cuda/between/kernels.cuh"
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
