#include "data/hdf5/chunks.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "data/hdf5/deflate.hpp"

namespace kiln::hdf5 {
namespace {

using Triple = std::vector<uint64_t>;

// Missing axes are slow ones of length 1.
Triple padded(const std::vector<uint64_t>& lengths, uint64_t with) {
  Triple result(3 - lengths.size(), with);
  result.insert(result.end(), lengths.begin(), lengths.end());
  return result;
}

struct Cut {
  Triple shape, chunk, grid;  // grid: chunks per axis

  explicit Cut(const ChunkedArray& array) : shape(padded(array.shape, 1)), chunk(padded(array.chunk, 1)) {
    for (int axis = 0; axis < 3; ++axis) grid.push_back((shape[axis] + chunk[axis] - 1) / chunk[axis]);
  }
  uint64_t chunks() const { return grid[0] * grid[1] * grid[2]; }
  Triple origin(uint64_t index) const {
    return {index / (grid[1] * grid[2]) * chunk[0], index / grid[2] % grid[1] * chunk[1],
            index % grid[2] * chunk[2]};
  }
};

std::vector<uint8_t> gather(const ChunkedArray& array, const Cut& cut, const Triple& origin) {
  const std::size_t size = array.element_bytes;
  std::vector<uint8_t> chunk(cut.chunk[0] * cut.chunk[1] * cut.chunk[2] * size, 0);
  const uint64_t depth = std::min(cut.chunk[0], cut.shape[0] - origin[0]);
  const uint64_t height = std::min(cut.chunk[1], cut.shape[1] - origin[1]);
  const uint64_t width = std::min(cut.chunk[2], cut.shape[2] - origin[2]);
  for (uint64_t z = 0; z < depth; ++z)
    for (uint64_t y = 0; y < height; ++y) {
      const uint64_t from = ((origin[0] + z) * cut.shape[1] + origin[1] + y) * cut.shape[2] + origin[2];
      std::memcpy(chunk.data() + (z * cut.chunk[1] + y) * cut.chunk[2] * size,
                  static_cast<const uint8_t*>(array.values) + from * size, width * size);
    }
  return chunk;
}

// All first bytes of the elements, then all second bytes, and so on.
std::vector<uint8_t> shuffled(const std::vector<uint8_t>& bytes, std::size_t element_bytes) {
  const std::size_t count = bytes.size() / element_bytes;
  std::vector<uint8_t> result(bytes.size());
  for (std::size_t b = 0; b < element_bytes; ++b)
    for (std::size_t i = 0; i < count; ++i) result[b * count + i] = bytes[i * element_bytes + b];
  return result;
}

}  // namespace

void pack_chunks(const ChunkedArray& array, int level, const TakeChunk& take) {
  const Cut cut(array);
  const auto pack = [&](int64_t index) {
    const std::vector<uint8_t> bytes =
        shuffled(gather(array, cut, cut.origin(uint64_t(index))), array.element_bytes);
    return deflated(bytes.data(), bytes.size(), level);
  };
  make_in_order(int64_t(cut.chunks()), pack, [&](int64_t index, const std::vector<uint8_t>& bytes) {
    const Triple origin = cut.origin(uint64_t(index));
    take({origin.end() - std::ptrdiff_t(array.shape.size()), origin.end()}, bytes);
  });
}

}  // namespace kiln::hdf5
