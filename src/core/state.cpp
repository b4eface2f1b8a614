#include "core/state.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>

#include "base/parallel.hpp"

namespace kiln {
namespace {

// Adds, for every site of one row, how many of its neighbours belong to another cell.
void count_unlike_in_row(const State& state, const Neighbourhood& n, int32_t y, int32_t z,
                         std::vector<uint16_t>& unlike) {
  const Lattice& lattice = state.lattice;
  const int32_t width = lattice.size.x;
  const CellId* row = state.ids.data() + lattice.index({0, y, z});
  std::fill(unlike.begin(), unlike.end(), uint16_t(0));
  for (int k = 0; k < n.count; ++k) {
    const Vec3<int8_t> offset = n.offset[k];
    Vec3i place{0, y + offset.y, z + offset.z};
    if (!lattice.wrap(place)) continue;
    const CellId* other = state.ids.data() + lattice.index(place);
    const int32_t first = std::min(width, std::max(0, -int32_t(offset.x)));
    const int32_t last = std::max(first, std::min(width, width - offset.x));
    for (int32_t x = first; x < last; ++x) unlike[x] += row[x] != other[x + offset.x] ? 1 : 0;
    if (!lattice.periodic.x) continue;
    const auto wrapped = [&](int32_t x) { return (((x + offset.x) % width) + width) % width; };
    for (int32_t x = 0; x < first; ++x) unlike[x] += row[x] != other[wrapped(x)] ? 1 : 0;
    for (int32_t x = last; x < width; ++x) unlike[x] += row[x] != other[wrapped(x)] ? 1 : 0;
  }
}

template <class T>
void copy_table(const std::vector<T>& from, std::vector<T>& to, int threads) {
  if (to.size() != from.size()) to.resize(from.size());
  in_parallel(int64_t(from.size()), threads, [&](int, int64_t begin, int64_t end) {
    std::copy(from.begin() + begin, from.begin() + end, to.begin() + begin);
  });
}

}  // namespace

void copy_tables(const State& from, State& to, int threads) {
  copy_table(from.cells.type, to.cells.type, threads);
  copy_table(from.cells.extent, to.cells.extent, threads);
  copy_table(from.cells.centroid, to.cells.centroid, threads);
  copy_table(from.direction, to.direction, threads);
  copy_table(from.history, to.history, threads);
  to.history_length = from.history_length;
}

void copy_state(const State& from, State& to, int threads) {
  to.lattice = from.lattice;
  to.mcs = from.mcs;
  to.ids.assign(from.ids, threads);
  to.act.assign(from.act, threads);
  copy_tables(from, to, threads);
}

void recount(State& state, const Neighbourhood& perimeter, const std::vector<bool>& frozen,
             bool keep_anchors) {
  const Lattice& lattice = state.lattice;
  Cells& cells = state.cells;
  std::vector<bool> anchored(cells.count(), keep_anchors);
  for (CellId cell = 0; cell < cells.count(); ++cell) {
    cells.extent[cell] = {};
    cells.centroid[cell] = {keep_anchors ? cells.centroid[cell].anchor : Vec3i{}, {}};
  }
  std::vector<uint16_t> unlike(std::size_t(lattice.size.x));
  Site site = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y) {
      count_unlike_in_row(state, perimeter, y, z, unlike);
      for (int32_t x = 0; x < lattice.size.x; ++x, ++site) {
        const CellId cell = state.ids[std::size_t(site)];
        if (cell == kMedium || frozen[cells.type[cell]]) continue;
        Cells::Centroid& centroid = cells.centroid[cell];
        const Vec3i place{x, y, z};
        if (!anchored[cell]) {
          centroid.anchor = place;
          anchored[cell] = true;
        }
        cells.extent[cell].volume += 1;
        cells.extent[cell].perimeter += unlike[std::size_t(x)];
        const Vec3i d = offset_from_anchor(lattice, centroid.anchor, place);
        for (int axis = 0; axis < 3; ++axis) centroid.sum[axis] += d[axis];
      }
    }
}

std::string audit(const State& state, const Neighbourhood& perimeter, const std::vector<bool>& frozen) {
  State counted;
  counted.lattice = state.lattice;
  counted.ids = state.ids;
  counted.cells = state.cells;
  recount(counted, perimeter, frozen, true);
  for (CellId cell = 0; cell < state.cells.count(); ++cell) {
    const auto &tracked = state.cells.extent[cell], &found = counted.cells.extent[cell];
    const auto &sum = state.cells.centroid[cell].sum, &found_sum = counted.cells.centroid[cell].sum;
    if (tracked == found && sum == found_sum) continue;
    char text[256];
    std::snprintf(text, sizeof text,
                  "cell %u: tracked volume %d, perimeter %d, sums (%lld %lld %lld), but counted %d, %d, "
                  "(%lld %lld %lld)",
                  cell, tracked.volume, tracked.perimeter, (long long)sum.x, (long long)sum.y,
                  (long long)sum.z, found.volume, found.perimeter, (long long)found_sum.x,
                  (long long)found_sum.y, (long long)found_sum.z);
    return text;
  }
  return "";
}

namespace {

// The finaliser of MurmurHash3: every bit of the input reaches every bit of the output.
uint64_t mixed(uint64_t h) {
  h ^= h >> 33;
  h *= 0xFF51AFD7ED558CCDull;
  h ^= h >> 33;
  h *= 0xC4CEB9FE1A85EC53ull;
  return h ^ (h >> 33);
}

// What a value at a place of one of the state's tables adds to the hash.
uint64_t entry(uint64_t table, uint64_t place, uint64_t value) {
  return mixed(mixed(table << 56 ^ place) + value * 0x9E3779B97F4A7C15ull + table);
}

uint64_t entries_of(const Cells& cells, std::size_t cell) {
  uint64_t sum = entry(5, cell, cells.type[cell]);
  sum += entry(6, cell, uint64_t(uint32_t(cells.extent[cell].volume)));
  sum += entry(7, cell, uint64_t(uint32_t(cells.extent[cell].perimeter)));
  for (int axis = 0; axis < 3; ++axis) {
    const uint64_t place = uint64_t(cell) * 3 + uint64_t(axis);
    sum += entry(8, place, uint64_t(int64_t(cells.centroid[cell].anchor[axis])));
    sum += entry(9, place, uint64_t(cells.centroid[cell].sum[axis]));
  }
  return sum;
}

// Of value(0) to value(count - 1), on all processors where that is worth it.
template <class Value>
uint64_t sum_over(std::size_t count, const Value& value) {
  constexpr int64_t kWorthAThread = 1 << 18;
  const auto threads = int(std::min<int64_t>(all_threads(), 1 + int64_t(count) / kWorthAThread));
  std::atomic<uint64_t> sum = 0;
  in_parallel(int64_t(count), threads, [&](int, int64_t begin, int64_t end) {
    uint64_t own = 0;
    for (auto i = std::size_t(begin); i < std::size_t(end); ++i) own += value(i);
    sum += own;
  });
  return sum;
}

}  // namespace

std::string state_hash(const State& state) {
  uint64_t sum = entry(1, 0, uint64_t(state.mcs));
  for (int axis = 0; axis < 3; ++axis) sum += entry(2, uint64_t(axis), uint64_t(state.lattice.size[axis]));
  sum += sum_over(state.ids.size(), [&](std::size_t site) { return entry(3, site, state.ids[site]); });
  sum += sum_over(state.act.size(), [&](std::size_t site) {
    return state.act[site] != 0 ? entry(4, site, state.act[site]) : 0;
  });
  sum += sum_over(state.cells.count(), [&](std::size_t cell) { return entries_of(state.cells, cell); });
  sum += sum_over(3 * state.direction.size(), [&](std::size_t i) {
    return entry(10, i, std::bit_cast<uint32_t>(state.direction[i / 3][int(i % 3)]));
  });
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", (unsigned long long)mixed(sum));
  return text;
}

}  // namespace kiln
