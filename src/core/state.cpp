#include "core/state.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstring>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "core/columns.hpp"
#include "core/gain.hpp"

namespace kiln {
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

void copy_tables(const State& from, State& to, int threads) {
  to.cells.history_length = from.cells.history_length;
  to.cells.property_count = from.cells.property_count;
  for (const Column& column : columns()) {
    const std::size_t rows = column.rows(from.cells);
    if (column.rows(to.cells) != rows) column.resize(to.cells, rows);
    const std::byte* const source = column.data_of(from.cells);
    std::byte* const target = column.data(to.cells);
    in_parallel(int64_t(rows * column.row_bytes), threads, [&](int, int64_t begin, int64_t end) {
      if (begin < end) std::memcpy(target + begin, source + begin, std::size_t(end - begin));
    });
  }
}

void copy_state(const State& from, State& to, int threads) {
  to.lattice = from.lattice;
  to.mcs = from.mcs;
  to.ids.assign(from.ids, threads);
  to.act.assign(from.act, threads);
  to.substances = from.substances;
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
  std::fill(cells.moments.begin(), cells.moments.end(), Moments{});
  std::vector<uint16_t> unlike(std::size_t(lattice.size.x));
  Site site = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y) {
      count_unlike_in_row(state, perimeter, y, z, unlike);
      for (int32_t x = 0; x < lattice.size.x; ++x, ++site) {
        const CellId cell = state.ids[std::size_t(site)];
        if (cell == kMedium || frozen[cells.type[cell]]) continue;
        const Vec3i place{x, y, z};
        if (!anchored[cell]) {
          cells.centroid[cell].anchor = place;
          anchored[cell] = true;
        }
        gain_site<3>(lattice, cells, cell, place, +1, unlike[std::size_t(x)]);
      }
    }
}

namespace {

template <class T>
T number_at(const std::byte* where) {
  T value;
  std::memcpy(&value, where, sizeof value);
  return value;
}

// The bits that enter the hash, and that an audit compares.
uint64_t bits_at(const std::byte* where, Element element) {
  switch (element) {
    case Element::u8:
      return number_at<uint8_t>(where);
    case Element::i32:
      return uint64_t(int64_t(number_at<int32_t>(where)));
    case Element::f32:
      return number_at<uint32_t>(where);
    case Element::i64:
    case Element::f64:
      return number_at<uint64_t>(where);
  }
  return 0;
}

bool same_counts(const Cells& a, const Cells& b, CellId cell) {
  for (const Column& column : columns())
    for (const Field& field : column.fields) {
      if (!field.counted || !column.is_there(a)) continue;
      const std::size_t at = cell * column.row_bytes + field.offset;
      if (std::memcmp(column.data_of(a) + at, column.data_of(b) + at,
                      std::size_t(field.count) * bytes_of(field.element)) != 0)
        return false;
    }
  return true;
}

// "volume 12, perimeter 30, sum (1 2 3)": what is counted, of one cell.
std::string counted_text(const Cells& cells, CellId cell) {
  std::string text;
  for (const Column& column : columns())
    for (const Field& field : column.fields) {
      if (!field.counted || !column.is_there(cells)) continue;
      const std::byte* const at = column.data_of(cells) + cell * column.row_bytes + field.offset;
      std::string numbers;
      for (int k = 0; k < field.count; ++k)
        numbers +=
            (k == 0 ? "" : " ") +
            std::to_string(int64_t(bits_at(at + std::size_t(k) * bytes_of(field.element), field.element)));
      text += (text.empty() ? "" : ", ") + std::string(field.name) +
              (field.count == 1 ? " " + numbers : " (" + numbers + ")");
    }
  return text;
}

}  // namespace

std::string audit(const State& state, const Neighbourhood& perimeter, const std::vector<bool>& frozen) {
  State counted;
  counted.lattice = state.lattice;
  counted.ids = state.ids;
  counted.cells = state.cells;
  recount(counted, perimeter, frozen, true);
  for (CellId cell = 0; cell < state.cells.count(); ++cell) {
    if (same_counts(state.cells, counted.cells, cell)) continue;
    return "cell " + std::to_string(cell) + ": tracked " + counted_text(state.cells, cell) +
           ", but counted " + counted_text(counted.cells, cell);
  }
  return "";
}

namespace {

constexpr uint64_t kConcentrationTag = 23;  // columns.cpp has the others

// What a value at a place of one of the state's tables adds to the hash.
uint64_t entry(uint64_t table, uint64_t place, uint64_t value) {
  return mixed_bits(mixed_bits(table << 56 ^ place) + value * 0x9E3779B97F4A7C15ull + table);
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

uint64_t hash_of_frame(const Lattice& lattice, int64_t mcs) {
  uint64_t sum = entry(1, 0, uint64_t(mcs));
  for (int axis = 0; axis < 3; ++axis) sum += entry(2, uint64_t(axis), uint64_t(lattice.size[axis]));
  return sum;
}

uint64_t hash_of_site(Site site, CellId id) { return entry(3, uint64_t(site), id); }

uint64_t hash_of_act(Site site, ActValue act) { return act != 0 ? entry(4, uint64_t(site), act) : 0; }

uint64_t hash_of_cell(const Cells& cells, CellId row, CellId cell) {
  uint64_t sum = 0;
  for (const Column& column : columns()) {
    if (!column.is_there(cells)) continue;
    const auto rows = std::size_t(column.rows_per_cell(cells));
    for (const Field& field : column.fields) {
      if (field.hash_tag == 0) continue;
      const std::size_t bytes = bytes_of(field.element), count = std::size_t(field.count);
      for (std::size_t r = 0; r < rows; ++r) {
        const std::byte* const at =
            column.data_of(cells) + (row * rows + r) * column.row_bytes + field.offset;
        for (std::size_t k = 0; k < count; ++k)
          sum += entry(field.hash_tag, (cell * rows + r) * count + k, bits_at(at + k * bytes, field.element));
      }
    }
  }
  return sum;
}

uint64_t hash_of_substances(const std::vector<Substance>& substances) {
  uint64_t sum = 0;
  for (std::size_t s = 0; s < substances.size(); ++s) {
    const std::vector<double>& values = substances[s].values;
    sum += sum_over(values.size(), [&](std::size_t voxel) {
      return entry(kConcentrationTag, uint64_t(s) << 48 | voxel, std::bit_cast<uint64_t>(values[voxel]));
    });
  }
  return sum;
}

std::string hash_text(uint64_t sum) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", (unsigned long long)mixed_bits(sum));
  return text;
}

std::string state_hash(const State& state) {
  uint64_t sum = hash_of_frame(state.lattice, state.mcs);
  sum +=
      sum_over(state.ids.size(), [&](std::size_t site) { return hash_of_site(Site(site), state.ids[site]); });
  sum +=
      sum_over(state.act.size(), [&](std::size_t site) { return hash_of_act(Site(site), state.act[site]); });
  sum += sum_over(state.cells.count(),
                  [&](std::size_t cell) { return hash_of_cell(state.cells, CellId(cell), CellId(cell)); });
  return hash_text(sum + hash_of_substances(state.substances));
}

}  // namespace kiln
