#include "measure/cell_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>

#include "base/parallel.hpp"
#include "measure/rows.hpp"

namespace kiln {
namespace {

uint64_t pair_of(CellId a, CellId b) { return uint64_t(std::min(a, b)) << 32 | std::max(a, b); }

// Ids of neighbours differ in few bits; both multiplications are needed to keep their pairs apart. The
// leading bits are the best mixed. (The multiplier is 2^64 over the golden ratio.)
uint64_t mixed(uint64_t pair) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
  pair *= kMultiplier;
  return (pair ^ pair >> 32) * kMultiplier;
}

// Pairs of cells, each kept once. Open addressing; 0 is an empty slot, which no pair of cells can be.
class PairSet {
 public:
  void insert(uint64_t pair) {
    uint64_t& seen = recent_[mixed(pair) >> (64 - kRecentBits)];
    if (seen == pair) return;
    seen = pair;
    if (2 * size_ >= slots_.size()) grow();
    place(pair);
  }

  // Makes room first: walking through one table in the order of its hashes would heap up in a smaller one.
  void insert(const PairSet& other) {
    while (2 * (size_ + other.size_) >= slots_.size()) grow();
    other.for_each([&](uint64_t pair) { place(pair); });
  }

  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const uint64_t pair : slots_)
      if (pair != 0) visit(pair);
  }

 private:
  static constexpr int kRecentBits = 14;

  void place(uint64_t pair) {
    std::size_t i = mixed(pair) >> shift_;
    while (slots_[i] != 0 && slots_[i] != pair) i = (i + 1) & (slots_.size() - 1);
    if (slots_[i] == 0) ++size_;
    slots_[i] = pair;
  }

  void grow() {
    std::vector<uint64_t> old(slots_.size() * 2);
    old.swap(slots_);
    --shift_;
    size_ = 0;
    for (const uint64_t pair : old)
      if (pair != 0) place(pair);
  }

  std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024);
  int shift_ = 54;  // 64 - log2 of the number of slots
  std::size_t size_ = 0;
  // The same pair comes again and again; this answers most of them from a small, close memory.
  std::vector<uint64_t> recent_ = std::vector<uint64_t>(1 << kRecentBits);
};

constexpr uint32_t kCell = 1, kWanted = 2;  // keys of sites

// Sets a bit where a site and the one `shift` farther in the other row belong to two cells, one of them
// wanted.
void mark(const PaddedRow& row, const PaddedRow& other, int shift, int bit, std::vector<uint32_t>& marks) {
  const CellId *id_a = row.id, *id_b = other.id + shift;
  const uint32_t *key_a = row.key, *key_b = other.key + shift;
  uint32_t* mark = marks.data();
  const auto count = int32_t(marks.size());
  for (int32_t x = 0; x < count; ++x) {
    const uint32_t wanted = (key_a[x] & key_b[x] & kCell) & ((key_a[x] | key_b[x]) / kWanted);
    mark[x] |= (-uint32_t(id_a[x] != id_b[x]) & wanted) << bit;
  }
}

void collect_rows(const State& state, const std::vector<uint8_t>& keys, int64_t begin, int64_t end,
                  PairSet& pairs) {
  const auto key_of = [&](CellId id) { return uint32_t(keys[id]); };
  std::vector<uint32_t> marks(state.lattice.size.x);
  RowWalk walk(state, key_of);
  walk.run(begin, end, [&](const PaddedRow& row, std::span<const PaddedRow> following) {
    std::array<const CellId*, 13> neighbour{row.id + 1};
    int directions = 1;
    std::fill(marks.begin(), marks.end(), 0u);
    mark(row, row, 1, 0, marks);
    for (const PaddedRow& other : following)
      for (int shift = -1; shift <= 1; ++shift) {
        mark(row, other, shift, directions, marks);
        neighbour[directions++] = other.id + shift;
      }
    for (std::size_t x = 0; x < marks.size(); ++x)
      for (uint32_t left = marks[x]; left != 0; left &= left - 1)
        pairs.insert(pair_of(row.id[x], neighbour[std::countr_zero(left)][x]));
  });
}

// Per number of every stride-th cell.
std::vector<int32_t> sampled_neighbours(const Look& look, int64_t stride, int threads) {
  if (LatticeSurvey* const survey = look.survey()) return survey->neighbours_of_sample(stride);
  const std::vector<int32_t> counts = neighbour_counts(look.state(), stride, threads);
  std::vector<int32_t> result;
  for (std::size_t cell = 1; cell < counts.size(); cell += std::size_t(stride))
    result.push_back(counts[cell]);
  return result;
}

}  // namespace

int64_t sampling_stride(int64_t cells, int64_t samples, int64_t limit) {
  if (cells <= 1) return 1;
  const int64_t per_sample = std::clamp<int64_t>(limit / std::max<int64_t>(samples, 1), 1, cells);
  return (cells + per_sample - 1) / per_sample;
}

std::vector<int32_t> neighbour_counts(const State& state, int64_t stride, int threads) {
  std::vector<uint8_t> keys(state.cells.count(), kCell);
  if (!keys.empty()) keys[kMedium] = 0;
  for (std::size_t cell = 1; cell < keys.size(); cell += std::size_t(stride)) keys[cell] |= kWanted;

  PairSet pairs;
  std::mutex merging;
  in_parallel(row_count(state.lattice), threads, [&](int, int64_t begin, int64_t end) {
    PairSet own;
    collect_rows(state, keys, begin, end, own);
    const std::scoped_lock lock(merging);
    pairs.insert(own);
  });

  std::vector<int32_t> counts(keys.size());
  pairs.for_each([&](uint64_t pair) {
    for (const auto cell : {CellId(pair >> 32), CellId(pair)})
      if (keys[cell] & kWanted) ++counts[cell];
  });
  return counts;
}

std::vector<CellRow> cell_rows(const Look& look, const std::vector<bool>& frozen, int64_t stride,
                               int threads) {
  const Cells& cells = look.cells();
  const std::vector<int32_t> neighbours = sampled_neighbours(look, stride, threads);
  std::vector<std::vector<CellRow>> parts(std::size_t(std::max(threads, 1)));
  in_parallel(int64_t(neighbours.size()), threads, [&](int part, int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const auto cell = CellId(1 + number * stride);
      const Cells::Extent& extent = cells.extent[cell];
      if (!is_tracked(cells, frozen, cell) || extent.volume <= 0) continue;
      parts[std::size_t(part)].push_back({cell, cells.type[cell], extent.volume, extent.perimeter,
                                          cells.position(cell), neighbours[std::size_t(number)]});
    }
  });
  std::vector<CellRow> rows;
  for (const std::vector<CellRow>& part : parts) rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace kiln
