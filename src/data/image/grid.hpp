// Values on a grid that is in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "core/types.hpp"

namespace kiln {

// x fastest.
template <class T>
struct Grid {
  Vec3i size{0, 0, 0};
  std::vector<T> values;

  Grid() = default;
  explicit Grid(const Vec3i& s) : size(s), values(std::size_t(s.x) * std::size_t(s.y) * std::size_t(s.z)) {}
  std::size_t index(int32_t x, int32_t y, int32_t z) const {
    return (std::size_t(z) * std::size_t(size.y) + std::size_t(y)) * std::size_t(size.x) + std::size_t(x);
  }
  const T& at(int32_t x, int32_t y, int32_t z) const { return values[index(x, y, z)]; }
  T& at(int32_t x, int32_t y, int32_t z) { return values[index(x, y, z)]; }
  // From a value to the next along an axis.
  std::size_t stride(int axis) const {
    return axis == 0 ? 1 : std::size_t(size.x) * (axis == 2 ? std::size_t(size.y) : 1);
  }
};
using Volume = Grid<float>;

// Calls row(y, z) for all rows along x, on several threads where there is work for them.
template <class Row>
void for_rows(const Vec3i& size, const Row& row) {
  constexpr int64_t kFew = 1 << 14;  // voxels
  const int64_t rows = int64_t(size.y) * size.z;
  in_parallel(rows, rows * size.x < kFew ? 1 : all_threads(), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) row(int32_t(i % size.y), int32_t(i / size.y));
  });
}

}  // namespace kiln
