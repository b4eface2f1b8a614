// Which rows of tiles, and which of their columns, may have targets in a box of the lattice.
#pragma once

#include <algorithm>

#include "core/box.hpp"
#include "engine/schedule/tiles.hpp"

namespace kiln::tiles {

// Candidates: every row with targets in the box is among them, once.
class RowsNear {
 public:
  RowsNear(const Round& round, const Lattice& lattice, const Box& box)
      : along_y_(numbers_near(round, lattice, box, 1)), along_z_(numbers_near(round, lattice, box, 2)) {}

  uint32_t count() const { return along_y_.count() * along_z_.count(); }
  uint32_t j_of(uint32_t row) const { return along_y_.at(row % along_y_.count()); }
  uint32_t k_of(uint32_t row) const { return along_z_.at(row / along_y_.count()); }

 private:
  // Two stretches of numbers; a box at a periodic axis' end may meet both ends of it.
  struct Numbers {
    uint32_t first[2] = {0, 0}, length[2] = {0, 0};

    uint32_t count() const { return length[0] + length[1]; }
    uint32_t at(uint32_t i) const { return i < length[0] ? first[0] + i : first[1] + (i - length[0]); }
  };

  static Numbers numbers_near(const Round& round, const Lattice& lattice, const Box& box, int axis) {
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
      const int64_t begin = std::max(done, floor_of(box.low[axis] + beyond - shift - room, tile));
      const int64_t end =
          std::min<int64_t>(round.count[axis], floor_of(box.high[axis] - 1 + beyond - shift, tile) + 1);
      numbers.first[turn] = uint32_t(begin);
      numbers.length[turn] = uint32_t(std::max<int64_t>(0, end - begin));
      done = std::max(begin, end);
    }
    return numbers;
  }

  Numbers along_y_, along_z_;
};

// The first of a row's targets at x or beyond.
inline int32_t column_from(const Row& row, int32_t count, int32_t x) {
  const auto steps = [&](int32_t length) { return length <= 0 ? 0 : (length + row.width - 1) / row.width; };
  const int32_t without_gap = steps(x - row.first.x);
  const int32_t column =
      without_gap <= row.split ? without_gap : std::max(row.split, steps(x - row.first.x - row.gap));
  return std::min(column, count);
}

}  // namespace kiln::tiles
