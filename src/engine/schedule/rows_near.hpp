// Which rows of tiles, and which of their columns, may have targets in a box of the lattice.
#pragma once

#include "core/box.hpp"
#include "engine/schedule/tiles.hpp"

namespace kiln::tiles {

// Candidates: every row with targets in the box is among them, once.
class RowsNear {
 public:
  RowsNear() = default;
  KILN_HD RowsNear(const Round& round, const Lattice& lattice, const Box& box)
      : along_y_(numbers_near(round, lattice, box, 1)), along_z_(numbers_near(round, lattice, box, 2)) {}

  KILN_HD uint32_t count() const { return along_y_.count() * along_z_.count(); }
  KILN_HD uint32_t j_of(uint32_t row) const { return along_y_.at(row % along_y_.count()); }
  KILN_HD uint32_t k_of(uint32_t row) const { return along_z_.at(row / along_y_.count()); }
  // The same by two numbers, each below most_along.
  KILN_HD bool has(uint32_t y, uint32_t z) const { return y < along_y_.count() && z < along_z_.count(); }
  KILN_HD uint32_t j_at(uint32_t y) const { return along_y_.at(y); }
  KILN_HD uint32_t k_at(uint32_t z) const { return along_z_.at(z); }
  // No more than so many along an axis, wherever a box of this length lies.
  KILN_HD static constexpr uint32_t most_along(int32_t length, int32_t tile, int32_t count) {
    const int32_t most = length / tile + 3;
    return uint32_t(most < count ? most : count);
  }

 private:
  // Two stretches of numbers; a box at a periodic axis' end may meet both ends of it.
  struct Numbers {
    uint32_t first[2] = {0, 0}, length[2] = {0, 0};

    KILN_HD uint32_t count() const { return length[0] + length[1]; }
    KILN_HD uint32_t at(uint32_t i) const {
      return i < length[0] ? first[0] + i : first[1] + (i - length[0]);
    }
  };

  KILN_HD static Numbers numbers_near(const Round& round, const Lattice& lattice, const Box& box, int axis) {
    Numbers numbers;
    if (axis >= lattice.dimension) {
      numbers.length[0] = 1;
      return numbers;
    }
    const int64_t tile = round.tile[axis], shift = round.shift[axis], room = tile - round.apart;
    const auto floor_of = [](int64_t a, int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); };
    int64_t done = 0;  // numbers below are dealt with
    for (int turn = 0; turn <= (lattice.periodic[axis] ? 1 : 0); ++turn) {
      const int64_t beyond = int64_t(turn) * lattice.size[axis];
      const int64_t lowest = floor_of(box.low[axis] + beyond - shift - room + tile - 1, tile);
      const int64_t highest = floor_of(box.high[axis] - 1 + beyond - shift, tile) + 1;
      const int64_t begin = lowest > done ? lowest : done;
      const int64_t end = highest < round.count[axis] ? highest : round.count[axis];
      numbers.first[turn] = uint32_t(begin);
      numbers.length[turn] = uint32_t(end > begin ? end - begin : 0);
      done = end > begin ? end : begin;
    }
    return numbers;
  }

  Numbers along_y_, along_z_;
};

// The first of a row's targets at x or beyond.
KILN_HD inline int32_t column_from(const Row& row, int32_t count, int32_t x) {
  const auto steps = [&](int32_t length) { return length <= 0 ? 0 : (length + row.width - 1) / row.width; };
  const int32_t without_gap = steps(x - row.first.x);
  int32_t column = without_gap;
  if (without_gap > row.split) {
    const int32_t behind_gap = steps(x - row.first.x - row.gap);
    column = behind_gap > row.split ? behind_gap : row.split;
  }
  return column < count ? column : count;
}

}  // namespace kiln::tiles
