// What formulas read of more than their cell: of its neighbours (engine/living/surroundings.cpp), and of
// substances in its sites (engine/living/concentrations.cpp). Sums are integers, so no order matters.
#pragma once

namespace kiln::device {

// In units of 2^-30 of the largest value: that of fixed_point_unit.
__device__ __forceinline__ double unit_of(uint64_t largest) {
  if (largest == 0) return 1.0;
  const int64_t exponent = int64_t(largest >> 52) - 1022;  // largest is in [2^(exponent - 1), 2^exponent)
  return detail::double_of(uint64_t(exponent - 30 + 1023) << 52);
}
// The largest of the values that the threads of a warp take, by its bits. Reduced within the warp first:
// atomics on one word are serialised, so there is one per warp.
class Largest {
 public:
  __device__ __forceinline__ void take(double value) {
    const double size = value < 0 ? -value : value;
    if (size > 0) take_bits(static_cast<unsigned long long>(__double_as_longlong(size)));
  }
  __device__ __forceinline__ void raise(uint64_t* to) {
    for (int step = 16; step > 0; step /= 2) take_bits(__shfl_xor_sync(~0u, bits_, step));
    if (threadIdx.x % 32 == 0 && bits_ != 0) atomicMax(reinterpret_cast<unsigned long long*>(to), bits_);
  }

 private:
  __device__ __forceinline__ void take_bits(unsigned long long bits) {
    if (bits > bits_) bits_ = bits;
  }

  unsigned long long bits_ = 0;
};
__device__ __forceinline__ void add_up(int64_t* to, int64_t by) {
  if (by != 0) atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(by));
}

// Whether a row has a cell with this property; what is left of a dead one counts as long as it has sites.
__device__ __forceinline__ bool has_property(const StateTables& state, CellId row,
                                             uint32_t types_that_have_it) {
  const TypeId type = type_of(state, row);
  if (state.host_ids[row] == kMedium || (types_that_have_it >> type & 1) == 0) return false;
  return state.ends[row] == 0 || state.extents[row].volume != 0 || is_frozen(type);
}

constexpr int64_t kNoValue = int64_t(1) << 63;  // the cell has no such property

__device__ __forceinline__ void insert_pair(const StateTables& state, const cuda::NeighbourTables& tables,
                                            CellId row, CellId other) {
  const uint64_t pair = uint64_t(row) << 32 | other;
  uint64_t slot = (pair * 0x9E3779B97F4A7C15ull) >> 20;
  for (int tries = 0; tries < cuda::kNeighbourTries; ++tries, ++slot) {
    uint64_t* const entry = tables.pairs + slot % tables.pair_slots;
    if (*static_cast<volatile uint64_t*>(entry) == pair) return;
    const uint64_t found =
        atomicCAS(reinterpret_cast<unsigned long long*>(entry), 0ull, static_cast<unsigned long long>(pair));
    if (found == 0) atomicAdd(tables.touched + int64_t(row) * model::kTypes + type_of(state, other), 1);
    if (found == 0 || found == pair) return;
  }
  *tables.overflow = 1;
}

}  // namespace kiln::device

// The largest value of a property, then all its values in units.
extern "C" __global__ void find_largest_property(const __grid_constant__ kiln::cuda::StateTables state,
                                                 uint32_t types_that_have_it, int32_t property,
                                                 uint64_t* largest) {
  using namespace kiln;
  using namespace kiln::device;
  Largest found;
  each_cell(state, [&](CellId row) {
    if (!has_property(state, row, types_that_have_it)) return;
    found.take(state.properties[int64_t(row) * living::kProperties + property]);
  });
  found.raise(largest);
}
extern "C" __global__ void round_property(const __grid_constant__ kiln::cuda::StateTables state,
                                          uint32_t types_that_have_it, int32_t property,
                                          const __grid_constant__ kiln::cuda::MeanTables mean) {
  using namespace kiln;
  using namespace kiln::device;
  const double unit = unit_of(*mean.largest);
  if (thread_number() == 0) mean.values[kMedium] = kNoValue;
  each_cell(state, [&](CellId row) {
    const bool has_it = has_property(state, row, types_that_have_it);
    mean.values[row] =
        has_it ? llround(state.properties[int64_t(row) * living::kProperties + property] / unit) : kNoValue;
  });
}

// Borders, the cells that touch, and means over neighbours, site by site.
extern "C" __global__ void count_neighbours(const __grid_constant__ kiln::cuda::StateTables state,
                                            const __grid_constant__ kiln::cuda::NeighbourTables tables,
                                            const kiln::cuda::MeanTables* means, int32_t mean_count) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* const sites = static_cast<const Word*>(state.sites);
  const Neighbourhood& n = model::kPerimeterNeighbours;
  for (int64_t site = thread_number(); site < kLattice.sites(); site += thread_count()) {
    const CellId row = id_of(sites[site]);
    if (row == kMedium) continue;
    const Vec3i place = kLattice.position(site);
    int32_t with_type[model::kTypes] = {};
    bool any = false;
    for (int k = 0; k < n.count; ++k) {
      Vec3i there = place + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
      if (!kLattice.wrap(there)) continue;
      const CellId other = id_of(sites[kLattice.index(there)]);
      if (other == row) continue;
      any = true;
      const TypeId type = type_of(state, other);
#pragma unroll
      for (int t = 0; t < model::kTypes; ++t) with_type[t] += t == type ? 1 : 0;
    }
    if (any)
#pragma unroll
      for (int t = 0; t < model::kTypes; ++t)
        if (with_type[t] > 0) atomicAdd(tables.borders + int64_t(row) * model::kTypes + t, with_type[t]);
    for (int m = 0; any && m < mean_count; ++m) {
      int64_t sum = 0;
      int32_t pairs = 0;
      for (int k = 0; k < n.count; ++k) {
        Vec3i there = place + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
        if (!kLattice.wrap(there)) continue;
        const CellId other = id_of(sites[kLattice.index(there)]);
        const int64_t value = other == row ? kNoValue : means[m].values[other];
        if (value == kNoValue) continue;
        sum += value;
        pairs += 1;
      }
      if (pairs == 0) continue;
      add_up(means[m].sums + row, sum);
      atomicAdd(means[m].pairs + row, pairs);
    }
    if (tables.touched == nullptr) continue;
    CellId last = kMedium;
    for (int k = 0; k < Moore<kDim>::kCount; ++k) {
      Vec3i there = place + Moore<kDim>::offset(k);
      if (!kLattice.wrap(there)) continue;
      const CellId other = id_of(sites[kLattice.index(there)]);
      if (other == row || other == kMedium || other == last) continue;
      insert_pair(state, tables, row, other);
      last = other;
    }
  }
}

extern "C" __global__ void work_out_contact(const __grid_constant__ kiln::cuda::StateTables state,
                                            const __grid_constant__ kiln::cuda::NeighbourTables tables,
                                            int32_t type, double* values) {
  using namespace kiln;
  using namespace kiln::device;
  each_cell(state, [&](CellId row) {
    const int32_t* const borders = tables.borders + int64_t(row) * model::kTypes;
    int64_t all = 0;
    for (int t = 0; t < model::kTypes; ++t) all += borders[t];
    values[row] = all > 0 ? double(borders[type]) / double(all) : 0.0;
  });
}
extern "C" __global__ void work_out_neighbours(const __grid_constant__ kiln::cuda::StateTables state,
                                               const __grid_constant__ kiln::cuda::NeighbourTables tables,
                                               int32_t type, double* values) {
  using namespace kiln;
  using namespace kiln::device;
  each_cell(state,
            [&](CellId row) { values[row] = double(tables.touched[int64_t(row) * model::kTypes + type]); });
}

namespace kiln::device {

// A concentration, or its change from site to site along an axis; one-sided before a wall.
__device__ __forceinline__ double voxel_value(const double* concentration, const Lattice& voxels,
                                              int32_t coarsen, int64_t voxel, int32_t axis) {
  if (axis < 0) return concentration[voxel];
  const Vec3i here = voxels.position(voxel);
  int32_t apart = 0;
  double beside[2];
  for (int i = 0; i < 2; ++i) {
    Vec3i there = here;
    there[axis] += i == 0 ? 1 : -1;
    const bool inside = voxels.wrap(there);
    apart += inside ? 1 : 0;
    beside[i] = concentration[voxels.index(inside ? there : here)];
  }
  const double change = beside[0] - beside[1];
  return apart == 0 ? 0.0 : change / double(apart * coarsen);
}

}  // namespace kiln::device

extern "C" __global__ void find_largest_voxel(const double* concentration,
                                              const __grid_constant__ kiln::Lattice voxels, int32_t coarsen,
                                              int32_t axis, uint64_t* largest) {
  using namespace kiln::device;
  Largest found;
  for (int64_t voxel = thread_number(); voxel < voxels.sites(); voxel += thread_count())
    found.take(voxel_value(concentration, voxels, coarsen, voxel, axis));
  found.raise(largest);
}
extern "C" __global__ void round_voxels(const double* concentration,
                                        const __grid_constant__ kiln::Lattice voxels, int32_t coarsen,
                                        int32_t axis, const __grid_constant__ kiln::cuda::MeanTables mean) {
  using namespace kiln::device;
  const double unit = unit_of(*mean.largest);
  for (int64_t voxel = thread_number(); voxel < voxels.sites(); voxel += thread_count())
    mean.values[voxel] = llround(voxel_value(concentration, voxels, coarsen, voxel, axis) / unit);
}
// Stretches of a row; sites of one cell in them are added up before they are added to the others'.
extern "C" __global__ void sum_voxels(const __grid_constant__ kiln::cuda::StateTables state,
                                      const __grid_constant__ kiln::Lattice voxels, int32_t coarsen,
                                      const __grid_constant__ kiln::cuda::MeanTables mean) {
  using namespace kiln;
  using namespace kiln::device;
  constexpr int kStretch = 16;
  constexpr Lattice lattice = kLattice;
  const int32_t deep = kDim == 3 ? coarsen : 1;
  const Word* const sites = static_cast<const Word*>(state.sites);
  const int64_t rows = int64_t(lattice.size.y) * lattice.size.z,
                parts = (lattice.size.x + kStretch - 1) / kStretch;
  for (int64_t i = thread_number(); i < rows * parts; i += thread_count()) {
    const int64_t row = i / parts;
    const int32_t first = int32_t(i - row * parts) * kStretch;
    const int32_t last = first + kStretch < lattice.size.x ? first + kStretch : lattice.size.x;
    const int64_t* const values = mean.values + voxels.index({0, int32_t(row % lattice.size.y) / coarsen,
                                                              int32_t(row / lattice.size.y) / deep});
    CellId cell = kMedium;
    int64_t sum = 0;
    for (int32_t x = first; x < last; ++x) {
      const CellId next = id_of(sites[row * kRow + x]);
      if (next != cell) {
        if (cell != kMedium) add_up(mean.sums + cell, sum);
        cell = next;
        sum = 0;
      }
      sum += values[x / coarsen];
    }
    if (cell != kMedium) add_up(mean.sums + cell, sum);
  }
}

// Over pairs of neighbours, or, where none are counted, over a cell's sites.
extern "C" __global__ void work_out_mean(const __grid_constant__ kiln::cuda::StateTables state,
                                         const __grid_constant__ kiln::cuda::MeanTables mean,
                                         double* values) {
  using namespace kiln;
  using namespace kiln::device;
  const double unit = unit_of(*mean.largest);
  each_cell(state, [&](CellId row) {
    const int32_t count = mean.pairs != nullptr ? mean.pairs[row] : state.extents[row].volume;
    values[row] = count > 0 ? double(mean.sums[row]) * unit / double(count) : 0.0;
  });
}
