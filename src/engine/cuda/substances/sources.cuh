// Counts what cells do with a substance, a voxel per thread: the order of engine/substances/sources.cpp.
// Compiled behind a model's prologue.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/substances/source_tables.hpp"

namespace kiln::device {

struct VoxelCounts {
  int32_t of_type[model::kTypes];
  double of_cells;  // secreted by cells that have a rate each

  __device__ VoxelCounts(const StateTables& state, const cuda::SourceTables& tables, const Vec3i& voxel)
      : of_type{}, of_cells(0) {
    const Word* const sites = static_cast<const Word*>(state.sites);
    const int32_t edge = tables.coarsen, deep = kDim == 3 ? edge : 1;
    for (int32_t dz = 0; dz < deep; ++dz)
      for (int32_t dy = 0; dy < edge; ++dy) {
        const int64_t row = int64_t(voxel.z * deep + dz) * kLattice.size.y + (voxel.y * edge + dy);
        for (int32_t dx = 0; dx < edge; ++dx) {
          const CellId cell = id_of(sites[row * kRow + voxel.x * edge + dx]);
          const TypeId type = type_of(state, cell);
#pragma unroll
          for (int t = 0; t < model::kTypes; ++t) of_type[t] += t == type ? 1 : 0;  // they stay in registers
          if (tables.by_formula[type])
            of_cells = of_cells + tables.rates[cell];
          else if (tables.per_cell[type] != 0)
            of_cells = of_cells + tables.per_cell[type] / double(state.extents[cell].volume);
        }
      }
  }
};

__device__ __forceinline__ void count_sources_of(const StateTables& state, const cuda::SourceTables& tables,
                                                 int64_t voxel) {
  const VoxelCounts counts(state, tables, tables.voxels.position(voxel));
  const double all = double(tables.coarsen) * tables.coarsen * (kDim == 3 ? tables.coarsen : 1);
  const double here = tables.volume == nullptr ? all : tables.volume[voxel] * all;
  if (tables.secretion != nullptr) {
    double sum = counts.of_cells;
#pragma unroll
    for (int type = 0; type < model::kTypes; ++type)
      if (!tables.by_formula[type] && tables.per_site[type] != 0)
        sum = sum + tables.per_site[type] * double(counts.of_type[type]);
    tables.secretion[voxel] = here > 0 ? sum / here : 0.0;
  }
  for (int k = 0; k < tables.takers; ++k) {
    int32_t taking = 0;
#pragma unroll
    for (int type = 0; type < model::kTypes; ++type)
      taking = type == tables.taker[k] ? counts.of_type[type] : taking;
    tables.share[k][voxel] = here > 0 ? double(taking) / here : 0.0;
  }
  if (tables.is_held == nullptr) return;
  uint8_t held = 0;
#pragma unroll
  for (int type = 0; type < model::kTypes; ++type)
    if (tables.holds[type] && held == 0 && 2.0 * double(counts.of_type[type]) >= here && here > 0) {
      held = 1;
      tables.held_at[voxel] = tables.held[type];
    }
  tables.is_held[voxel] = held;
}

}  // namespace kiln::device

extern "C" __global__ void count_sources(const __grid_constant__ kiln::cuda::StateTables state,
                                         const __grid_constant__ kiln::cuda::SourceTables tables) {
  const int64_t count = tables.voxels.sites(), stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t voxel = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; voxel < count; voxel += stride)
    kiln::device::count_sources_of(state, tables, voxel);
}
