// Gathers cells and sites for a download, from the device's numbering to the host's.
#pragma once

#include "engine/cuda/device_world.cuh"

// Rows are `words` long. Row i of the result is that of the cell with the number device_ids[first + i].
extern "C" __global__ void put_in_order(const uint32_t* rows, uint32_t words, const kiln::CellId* device_ids,
                                        int64_t first, int64_t count, uint32_t* to) {
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count * words; i += stride) {
    const int64_t row = i / words;
    to[i] = rows[int64_t(device_ids[first + row]) * words + (i - row * words)];
  }
}

// The other way round: row i goes to the row with the number rows[i].
extern "C" __global__ void put_back(const uint32_t* from, uint32_t words, const kiln::CellId* rows,
                                    int64_t count, uint32_t* to) {
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count * words; i += stride) {
    const int64_t row = i / words;
    to[int64_t(rows[row]) * words + (i - row * words)] = from[i];
  }
}

// All sites' ids as the host knows them.
extern "C" __global__ void unpack_ids(const __grid_constant__ kiln::cuda::StateTables tables,
                                      const kiln::CellId* host_ids, kiln::CellId* to) {
  using namespace kiln;
  const auto* sites = static_cast<const device::Word*>(tables.sites);
  for (int64_t site = device::thread_number(); site < device::kLattice.sites();
       site += device::thread_count())
    to[site] = host_ids[device::id_of(sites[site])];
}
