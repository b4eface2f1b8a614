// The lattice as rows along x, each with the rows that follow it in its Moore neighbourhood: how a measure
// meets every unordered pair of neighbouring sites once, without asking for walls at every site.
#pragma once

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "core/box.hpp"
#include "core/state.hpp"

namespace kiln {

// The number of the row at (y, z), wrapped where periodic; -1 beyond a closed wall.
inline int64_t row_at(const Lattice& lattice, int32_t y, int32_t z) {
  Vec3i place{0, y, z};
  return lattice.wrap(place) ? int64_t(place.z) * lattice.size.y + place.y : -1;
}

inline int64_t row_count(const Lattice& lattice) { return int64_t(lattice.size.y) * lattice.size.z; }

// The rows that come before (`side` -1) or after (+1) a row among its neighbours: one in 2-D, four in 3-D,
// fewer at closed walls. As (dy, dz): (side, 0), then (-1, side), (0, side), (1, side).
struct NeighbourRows {
  int count = 0;
  std::array<int64_t, 4> row{};

  NeighbourRows(const Lattice& lattice, int64_t of, int side) {
    const auto y = int32_t(of % lattice.size.y), z = int32_t(of / lattice.size.y);
    add(row_at(lattice, y + side, z));
    if (lattice.dimension == 2) return;
    for (int dy = -1; dy <= 1; ++dy) add(row_at(lattice, y + dy, z + side));
  }

 private:
  void add(int64_t found) {
    if (found >= 0) row[count++] = found;
  }
};

inline Box whole_box(const Lattice& lattice) { return {{0, 0, 0}, lattice.size}; }
inline int64_t row_count(const Box& box) { return int64_t(box.size().y) * box.size().z; }

// Ids of a row of a box and a key for each, readable from one before its first site, 0, to one behind its
// last: there lie the sites next to the box, on the other side where x is periodic; kNowhere with key 0 where
// there are none.
struct PaddedRow {
  const CellId* id = nullptr;
  const uint32_t* key = nullptr;
};

// Calls visit(row, following rows) for every row of a box from `begin` to before `end`; key_of(id) gives the
// keys. The following rows may lie next to the box.
template <class KeyOf>
class RowWalk {
 public:
  RowWalk(const State& state, const Box& box, const KeyOf& key_of)
      : state_(state), box_(box), key_of_(key_of) {
    for (Slot& slot : slots_) {
      slot.id.resize(std::size_t(box.size().x) + 2);
      slot.key.resize(slot.id.size());
    }
  }

  template <class Visit>
  void run(int64_t begin, int64_t end, const Visit& visit) {
    for (int64_t number = begin; number < end; ++number) {
      const auto y = int32_t(number % box_.size().y), z = int32_t(number / box_.size().y);
      const int64_t row = row_at(state_.lattice, box_.low.y + y, box_.low.z + z);
      const NeighbourRows following(state_.lattice, row, 1);
      const PaddedRow centre = load(0, row);
      std::array<PaddedRow, 4> others;
      for (int i = 0; i < following.count; ++i) others[i] = load(i + 1, following.row[i]);
      visit(centre, std::span<const PaddedRow>(others.data(), following.count));
    }
  }

 private:
  struct Slot {
    int64_t row = -1;
    std::vector<CellId> id;
    std::vector<uint32_t> key;
  };

  // Most rows are still at hand from the step before, in a later slot.
  PaddedRow load(int place, int64_t row) {
    Slot& slot = slots_[place];
    for (int other = place + 1; slot.row != row && other < int(slots_.size()); ++other)
      if (slots_[other].row == row) std::swap(slot, slots_[other]);
    if (slot.row != row) fill(slot, row);
    return {slot.id.data() + 1, slot.key.data() + 1};
  }

  void fill(Slot& slot, int64_t row) {
    const int32_t width = box_.size().x;
    const CellId* ids = state_.ids.data() + row * state_.lattice.size.x + box_.low.x;
    for (int32_t x = 0; x < width; ++x) {
      slot.id[x + 1] = ids[x];
      slot.key[x + 1] = key_of_(ids[x]);
    }
    fill_end(row, box_.low.x - 1, slot.id.front(), slot.key.front());
    fill_end(row, box_.high.x, slot.id.back(), slot.key.back());
    slot.row = row;
  }

  void fill_end(int64_t row, int32_t x, CellId& id, uint32_t& key) const {
    Vec3i place{x, 0, 0};
    const bool is_there = state_.lattice.wrap(place);
    id = is_there ? state_.ids[std::size_t(row * state_.lattice.size.x + place.x)] : kNowhere;
    key = is_there ? key_of_(id) : 0;
  }

  const State& state_;
  const Box box_;
  const KeyOf& key_of_;
  std::array<Slot, 5> slots_;
};

}  // namespace kiln
