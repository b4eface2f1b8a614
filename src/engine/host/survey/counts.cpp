#include "engine/host/survey/counts.hpp"

#include <array>
#include <bit>
#include <mutex>

#include "base/parallel.hpp"

namespace kiln {
namespace {

// Eight types at a time: a neighbour's type is a one in a field of four bits, and a site has at most 13
// following neighbours, so their sum fits into one word and the loops over a row run on vectors.
constexpr int kTypesPerWord = 8;
constexpr int kRowPiece = 4096;  // sites between two flushes of a ContactTally: 13 x 4096 fits its 16 bits

using PairCounts = std::array<std::array<int64_t, kTypesPerWord>, kMaxTypes>;  // [centre's type][neighbour's]

// The key where the ids differ, else 0; without a branch, so that loops of it become vector instructions.
uint32_t if_unlike(CellId a, CellId b, uint32_t key) { return -uint32_t(a != b) & key; }

void add_unlike(const CellId* own, const PaddedRow& other, int32_t count, uint32_t* sum) {
  const CellId* id = other.id;
  const uint32_t* key = other.key;
  for (int32_t x = 0; x < count; ++x)
    sum[x] += if_unlike(own[x], id[x - 1], key[x - 1]) + if_unlike(own[x], id[x], key[x]) +
              if_unlike(own[x], id[x + 1], key[x + 1]);
}

void add_unlike_next(const PaddedRow& row, int32_t count, uint32_t* sum) {
  const CellId* id = row.id;
  const uint32_t* key = row.key;
  for (int32_t x = 0; x < count; ++x) sum[x] += if_unlike(id[x], id[x + 1], key[x + 1]);
}

// Four fields of four bits become four of sixteen.
uint64_t spread(uint32_t fields) {
  const uint64_t v = fields;
  return (v & 0xF) | (v & 0xF0) << 12 | (v & 0xF00) << 24 | (v & 0xF000) << 36;
}

class ContactTally {
 public:
  ContactTally(const State& state, int types) : type_(state.cells.type), types_(types) {}

  void add(const CellId* ids, const uint32_t* sums, int32_t count) {
    if (pending_ + count > kRowPiece) flush();
    pending_ += count;
    for (int32_t x = 0; x < count; ++x) {
      const TypeId type = type_[ids[x]];
      low_[type] += spread(sums[x]);
      high_[type] += spread(sums[x] >> 16);
    }
  }

  PairCounts total() {
    flush();
    return total_;
  }

 private:
  void flush() {
    for (int type = 0; type < types_; ++type) {
      for (int field = 0; field < 4; ++field) {
        total_[type][field] += int64_t(low_[type] >> (16 * field) & 0xFFFF);
        total_[type][field + 4] += int64_t(high_[type] >> (16 * field) & 0xFFFF);
      }
      low_[type] = high_[type] = 0;
    }
    pending_ = 0;
  }

  const std::vector<TypeId>& type_;
  int types_;
  int32_t pending_ = 0;  // sites added since the last flush
  PairCounts total_{};
  std::array<uint64_t, kMaxTypes> low_{}, high_{};
};

// Contacts whose second site has one of the eight types from first_type on.
PairCounts count_rows(const State& state, const Box& box, int first_type, int types, int64_t begin,
                      int64_t end) {
  std::array<uint32_t, kMaxTypes> key_of_type{};
  for (int i = 0; i < kTypesPerWord && first_type + i < types; ++i)
    key_of_type[first_type + i] = 1u << (4 * i);
  const auto key_of = [&](CellId id) { return key_of_type[state.cells.type[id]]; };

  ContactTally tally(state, types);
  std::array<uint32_t, kRowPiece> sums;
  RowWalk walk(state, box, key_of);
  walk.run(begin, end, [&](const PaddedRow& row, std::span<const PaddedRow> following) {
    for (int32_t from = 0; from < box.size().x; from += kRowPiece) {
      const int32_t count = std::min(kRowPiece, box.size().x - from);
      std::fill_n(sums.begin(), count, 0u);
      add_unlike_next({row.id + from, row.key + from}, count, sums.data());
      for (const PaddedRow& other : following)
        add_unlike(row.id + from, {other.id + from, other.key + from}, count, sums.data());
      tally.add(row.id + from, sums.data(), count);
    }
  });
  return tally.total();
}

constexpr uint32_t kCell = 1, kWanted = 2;  // keys of sites whose pairs are looked for

// Sets a bit where a site and the one `shift` farther in the other row belong to two cells, one of them
// wanted.
void mark_pairs(const PaddedRow& row, const PaddedRow& other, int shift, int bit,
                std::vector<uint32_t>& marks) {
  const CellId *id_a = row.id, *id_b = other.id + shift;
  const uint32_t *key_a = row.key, *key_b = other.key + shift;
  uint32_t* mark = marks.data();
  const auto count = int32_t(marks.size());
  for (int32_t x = 0; x < count; ++x) {
    const uint32_t wanted = (key_a[x] & key_b[x] & kCell) & ((key_a[x] | key_b[x]) / kWanted);
    mark[x] |= (-uint32_t(id_a[x] != id_b[x]) & wanted) << bit;
  }
}

void collect_rows(const State& state, const Box& box, std::span<const uint8_t> keys, int64_t begin,
                  int64_t end, PairSet& pairs) {
  const auto key_of = [&](CellId id) { return uint32_t(keys[id]); };
  std::vector<uint32_t> marks(std::size_t(box.size().x));
  RowWalk walk(state, box, key_of);
  walk.run(begin, end, [&](const PaddedRow& row, std::span<const PaddedRow> following) {
    std::array<const CellId*, 13> neighbour{row.id + 1};
    int directions = 1;
    std::fill(marks.begin(), marks.end(), 0u);
    mark_pairs(row, row, 1, 0, marks);
    for (const PaddedRow& other : following)
      for (int shift = -1; shift <= 1; ++shift) {
        mark_pairs(row, other, shift, directions, marks);
        neighbour[directions++] = other.id + shift;
      }
    for (std::size_t x = 0; x < marks.size(); ++x)
      for (uint32_t left = marks[x]; left != 0; left &= left - 1)
        pairs.insert(pair_of(row.id[x], neighbour[std::countr_zero(left)][x]));
  });
}

// Two sites of different keys have keys that add up to 3 (1 + 2), and no others do.
void mark_pair(const PaddedRow& row, const PaddedRow& other, int32_t x, int32_t shift,
               std::vector<uint8_t>& touches) {
  if (row.key[x] + other.key[x + shift] != 3) return;
  touches[row.id[x]] = touches[other.id[x + shift]] = 1;
}

}  // namespace

std::vector<int64_t> count_contacts(const State& state, const Box& box, int types, int threads) {
  std::vector<int64_t> result(std::size_t(types) * std::size_t(types));
  std::mutex adding;
  for (int first = 0; first < types; first += kTypesPerWord)
    in_parallel(row_count(box), threads, [&](int, int64_t begin, int64_t end) {
      const PairCounts counts = count_rows(state, box, first, types, begin, end);
      const std::scoped_lock lock(adding);
      for (int a = 0; a < types; ++a)
        for (int b = first; b < std::min(types, first + kTypesPerWord); ++b)
          result[std::size_t(a) * std::size_t(types) + std::size_t(b)] += counts[a][b - first];
    });
  return result;
}

std::vector<uint8_t> find_touching(const State& state, const Box& box, std::span<const uint8_t> keys,
                                   int threads) {
  const auto key_of = [&](CellId id) { return id < keys.size() ? uint32_t(keys[id]) : 0; };
  std::vector<uint8_t> touches(state.cells.count());
  std::mutex merging;
  in_parallel(row_count(box), threads, [&](int, int64_t begin, int64_t end) {
    std::vector<uint8_t> own(touches.size());
    RowWalk walk(state, box, key_of);
    walk.run(begin, end, [&](const PaddedRow& row, std::span<const PaddedRow> following) {
      for (int32_t x = 0; x < box.size().x; ++x) {
        if (row.key[x] == 0) continue;
        mark_pair(row, row, x, 1, own);
        for (const PaddedRow& other : following)
          for (int shift = -1; shift <= 1; ++shift) mark_pair(row, other, x, shift, own);
      }
    });
    const std::scoped_lock lock(merging);
    for (std::size_t cell = 0; cell < own.size(); ++cell) touches[cell] |= own[cell];
  });
  return touches;
}

PairSet touching_pairs(const State& state, const Box& box, std::span<const uint8_t> wanted, int threads) {
  std::vector<uint8_t> keys(state.cells.count(), kCell);
  if (!keys.empty()) keys[kMedium] = 0;
  for (std::size_t cell = 1; cell < std::min(keys.size(), wanted.size()); ++cell)
    if (wanted[cell] != 0) keys[cell] |= kWanted;
  PairSet pairs;
  std::mutex merging;
  in_parallel(row_count(box), threads, [&](int, int64_t begin, int64_t end) {
    PairSet own;
    collect_rows(state, box, keys, begin, end, own);
    const std::scoped_lock lock(merging);
    pairs.insert(own);
  });
  return pairs;
}

}  // namespace kiln
