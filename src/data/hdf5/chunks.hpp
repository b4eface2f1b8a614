// Chunks of a dataset as HDF5's shuffle and deflate filters would leave them, made on all processors at once:
// the library itself compresses on one, and a lattice of 1024^3 sites would take it a minute.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace kiln::hdf5 {

// A row-major array of up to three axes (slowest first) and the chunks it is cut into.
struct ChunkedArray {
  const void* values = nullptr;
  std::size_t element_bytes = 1;
  std::vector<uint64_t> shape, chunk;
};

// Calls `take(offset, bytes)` for every chunk, in raster order, on the calling thread. `offset` is the place
// of the chunk's first element. Chunks at an edge are filled up with zeros.
using TakeChunk = std::function<void(const std::vector<uint64_t>& offset, const std::vector<uint8_t>& bytes)>;
void pack_chunks(const ChunkedArray& array, int level, const TakeChunk& take);

}  // namespace kiln::hdf5
