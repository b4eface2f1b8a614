// Counts what cells do with a substance, a voxel per thread: the order of engine/substances/sources.cpp.
// Compiled behind a model's prologue.
#pragma once

#include "core/concentration.hpp"
#include "engine/cuda/device_world.cuh"
#include "engine/cuda/substances/source_tables.hpp"

namespace kiln::device {

// Words of `Edge` sites along x, in pieces where they lie so.
template <int Edge>
struct EdgeWords {
  Word words[Edge];

  __device__ __forceinline__ explicit EdgeWords(const Word* from) {
    constexpr int kPiece = WordPiece::kCount;
    if constexpr (Edge % kPiece == 0 && kRow % kPiece == 0) {
#pragma unroll
      for (int i = 0; i < Edge; i += kPiece) {
        const WordPiece piece(from + i);
#pragma unroll
        for (int k = 0; k < kPiece; ++k) words[i + k] = piece.words[k];
      }
    } else {
#pragma unroll
      for (int i = 0; i < Edge; ++i) words[i] = __ldg(from + i);
    }
  }
};

// What is in a voxel with an edge of so many sites; 0: of tables.coarsen.
template <int Edge>
struct VoxelCounts {
  int32_t of_type[model::kTypes];
  double of_cells;  // secreted by cells that have a rate each

  __device__ __forceinline__ VoxelCounts(const StateTables& state, const cuda::SourceTables& tables,
                                         const Vec3i& voxel)
      : of_cells(0), from_{} {
    const Word* const sites = static_cast<const Word*>(state.sites);
    const int32_t edge = Edge > 0 ? Edge : tables.coarsen, deep = kDim == 3 ? edge : 1;
    for (int32_t dz = 0; dz < deep; ++dz)
#pragma unroll 4
      for (int32_t dy = 0; dy < edge; ++dy) {
        const int64_t row = int64_t(voxel.z * deep + dz) * kLattice.size.y + (voxel.y * edge + dy);
        const Word* const first = sites + (row * kRow + voxel.x * edge);
        if constexpr (Edge > 0) {
          const EdgeWords<Edge> read(first);
#pragma unroll
          for (int dx = 0; dx < Edge; ++dx) add(state, tables, id_of(read.words[dx]));
        } else {
          for (int32_t dx = 0; dx < edge; ++dx) add(state, tables, id_of(first[dx]));
        }
      }
    from_[0] = edge * edge * deep;
#pragma unroll
    for (int t = 0; t < model::kTypes; ++t)
      of_type[t] = from_[t] - (t + 1 < model::kTypes ? from_[t + 1] : 0);
  }

 private:
  __device__ __forceinline__ void add(const StateTables& state, const cuda::SourceTables& tables,
                                      CellId cell) {
    if (model::kTypes > 1) from_[1] += cell != kMedium ? 1 : 0;
#pragma unroll
    for (int t = 2; t < model::kTypes; ++t) from_[t] += cell >= state.first_of_type[t] ? 1 : 0;
    if (!tables.any_per_cell) return;
    const TypeId type = type_of(state, cell);
    if (tables.by_formula[type])
      of_cells = of_cells + tables.rates[cell];
    else if (tables.per_cell[type] != 0)
      of_cells = of_cells + tables.per_cell[type] / double(state.extents[cell].volume);
  }

  int32_t from_[model::kTypes];  // sites of this type or a later one
};

template <int Edge>
__device__ __forceinline__ void count_sources_of(const StateTables& state, const cuda::SourceTables& tables,
                                                 int64_t voxel) {
  constexpr Lattice known = voxels_of(kLattice, Edge > 0 ? Edge : 1);  // spares divisions
  const VoxelCounts<Edge> counts(state, tables, (Edge > 0 ? known : tables.voxels).position(voxel));
  const double all = double(tables.coarsen) * tables.coarsen * (kDim == 3 ? tables.coarsen : 1);
  const double here = tables.volume == nullptr ? all : tables.volume[voxel] * all;
  const auto share_of = [&](int32_t wanted) {
    int32_t count = 0;
#pragma unroll
    for (int type = 0; type < model::kTypes; ++type) count = type == wanted ? counts.of_type[type] : count;
    return here > 0 ? double(count) / here : 0.0;
  };
  if (tables.secretion != nullptr && tables.secreter >= 0) {
    static_cast<float*>(tables.secretion)[voxel] = float(share_of(tables.secreter));
  } else if (tables.secretion != nullptr) {
    double sum = counts.of_cells;
#pragma unroll
    for (int type = 0; type < model::kTypes; ++type)
      if (!tables.by_formula[type] && tables.per_site[type] != 0)
        sum = sum + tables.per_site[type] * double(counts.of_type[type]);
    static_cast<double*>(tables.secretion)[voxel] = here > 0 ? sum / here : 0.0;
  }
  for (int k = 0; k < tables.takers; ++k) {
    const double share = share_of(tables.taker[k]);
    if (tables.shares_fit_floats)
      static_cast<float*>(tables.share[k])[voxel] = float(share);
    else
      static_cast<double*>(tables.share[k])[voxel] = share;
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
  using namespace kiln::device;
  const auto each_voxel = [&](const auto& count) {
    const int64_t voxels = tables.voxels.sites(), stride = int64_t(gridDim.x) * blockDim.x;
    for (int64_t voxel = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; voxel < voxels; voxel += stride)
      count(voxel);
  };
  switch (tables.coarsen) {
    case 2:
      return each_voxel([&](int64_t voxel) { count_sources_of<2>(state, tables, voxel); });
    case 4:
      return each_voxel([&](int64_t voxel) { count_sources_of<4>(state, tables, voxel); });
    case 8:
      return each_voxel([&](int64_t voxel) { count_sources_of<8>(state, tables, voxel); });
    default:
      return each_voxel([&](int64_t voxel) { count_sources_of<0>(state, tables, voxel); });
  }
}
