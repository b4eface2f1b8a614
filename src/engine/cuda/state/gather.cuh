// Rows of a table of cells, from the device's order to the host's.
#pragma once

#include "core/types.hpp"

// Rows are `words` long. Row i of the result is that of the cell with the number device_ids[first + i].
extern "C" __global__ void put_in_order(const uint32_t* rows, uint32_t words, const kiln::CellId* device_ids,
                                        int64_t first, int64_t count, uint32_t* to) {
  const int64_t stride = int64_t(gridDim.x) * blockDim.x;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count * words; i += stride) {
    const int64_t row = i / words;
    to[i] = rows[int64_t(device_ids[first + row]) * words + (i - row * words)];
  }
}
