// Measures of the lattice, on the device (see engine/lattice_survey.hpp). Compiled behind
// model_prologue.
#pragma once

#include "core/thinning.hpp"
#include "engine/cuda/device_world.cuh"
#include "engine/cuda/survey/survey_data.hpp"

namespace kiln::device {

// A lane's site in a row, between the two beside it: ids, and values of theirs. kNowhere where there is none.
template <class Value>
struct RowTriple {
  CellId ids[3];
  Value values[3];

  __device__ __forceinline__ RowTriple() = default;
  __device__ __forceinline__ RowTriple(CellId id, Value value) {
    ids[0] = __shfl_up_sync(~0u, id, 1);
    ids[1] = id;
    ids[2] = __shfl_down_sync(~0u, id, 1);
    values[0] = __shfl_up_sync(~0u, value, 1);
    values[1] = value;
    values[2] = __shfl_down_sync(~0u, value, 1);
  }
};

// Warps walk over the lattice along y, each in a column as wide as a warp; its outermost lanes are a halo:
// they only pass their sites to their neighbours. A site's neighbours that follow it lie beside it in its own
// row and in kFollowing further ones; so every pair of neighbours is met once.
constexpr int kFollowing = kDim == 3 ? 4 : 1;

class Walk {
 public:
  static constexpr int32_t kWidth = 30, kLength = 16, kBatch = 4;
  static constexpr int64_t kColumns = (model::kSize.x + kWidth - 1) / kWidth;
  static constexpr int64_t kParts = (model::kSize.y + kLength - 1) / kLength;
  static constexpr int64_t kCount = kColumns * kParts * model::kSize.z;

  __device__ __forceinline__ Walk(const StateTables& tables, int64_t number)
      : sites_(static_cast<const Word*>(tables.sites)) {
    const int64_t part = number / kColumns;
    const int lane = threadIdx.x % 32;
    x_ = int32_t(number - part * kColumns) * kWidth + lane - 1;
    is_home_ = lane > 0 && lane < 31 && x_ < model::kSize.x;
    if (model::kPeriodic.x && x_ == -1) x_ = model::kSize.x - 1;
    if (model::kPeriodic.x && x_ == model::kSize.x) x_ = 0;
    first_ = int32_t(part % kParts) * kLength;
    z_ = int32_t(part / kParts);
  }

  // Calls visit(own, following) for sites, from all lanes at once; is_home() is false for lanes of the halo.
  // It is not called where all is one cell.
  template <class Value, class ValueOf, class Visit>
  __device__ __forceinline__ void run(const ValueOf& value_of, const Visit& visit) const {
    const auto triple = [&](CellId id) { return RowTriple<Value>(id, value_of(id)); };
    const int32_t end = first_ + kLength < model::kSize.y ? first_ + kLength : model::kSize.y;
    RowTriple<Value> own = triple(id_at(first_, z_)), following[kFollowing];
    if constexpr (kDim == 3) {
      following[kFollowing - 2] = triple(id_at(first_ - 1, z_ + 1));
      following[kFollowing - 1] = triple(id_at(first_, z_ + 1));
    }
    for (int32_t y = first_; y < end; y += kBatch) {
      CellId here[kBatch], behind[kBatch];  // rows to come, at this z and at the next; loads overlap
      bool one_cell = own.ids[1] == __shfl_sync(~0u, own.ids[1], 0);
      if constexpr (kDim == 3)
        one_cell &=
            following[kFollowing - 2].ids[1] == own.ids[1] && following[kFollowing - 1].ids[1] == own.ids[1];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        here[i] = id_at(y + 1 + i, z_);
        behind[i] = kDim == 3 ? id_at(y + 1 + i, z_ + 1) : here[i];
      }
#pragma unroll
      for (int i = 0; i < kBatch; ++i) one_cell &= here[i] == own.ids[1] && behind[i] == own.ids[1];
      if (__all_sync(~0u, one_cell)) continue;
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        if (y + i >= end) break;
        if constexpr (kDim == 3) {
          following[kFollowing / 2 - 1] = following[kFollowing - 2];
          following[kFollowing - 2] = following[kFollowing - 1];
          following[kFollowing - 1] = triple(behind[i]);
        }
        following[0] = triple(here[i]);
        visit(own, following);
        own = following[0];
      }
    }
  }
  __device__ __forceinline__ bool is_home() const { return is_home_; }

 private:
  __device__ __forceinline__ CellId id_at(int32_t y, int32_t z) const {
    Vec3i place{0, y, z};
    if (x_ < 0 || x_ >= model::kSize.x || !kLattice.wrap(place)) return kNowhere;
    return id_of(sites_[kLattice.index(place) + x_]);
  }

  const Word* sites_;
  int32_t x_, first_, z_;
  bool is_home_;
};

__device__ __forceinline__ int64_t warp_number() { return thread_number() / 32; }
__device__ __forceinline__ int64_t warp_count() { return thread_count() / 32; }

// Whether a cell, which has sites, is tracked.
__device__ __forceinline__ bool is_tracked(const StateTables& t, CellId cell) {
  return cell != kMedium && !is_frozen(type_of(t, cell));
}

// A site's neighbours by type in fields of 4 bits, and those of kSitesPerFlush sites in fields of 16.
template <bool>
struct FieldsOf {
  using Type = uint32_t;
};
template <>
struct FieldsOf<true> {
  using Type = uint64_t;
};
using Fields = FieldsOf<(model::kTypes > 8)>::Type;
constexpr int kFieldWords = (model::kTypes + 3) / 4, kSitesPerFlush = 4096;
static_assert((kBlock - 1) / 2 * kSitesPerFlush < 1 << 16 && (kBlock - 1) / 2 < 1 << 4);

__device__ __forceinline__ Fields field_of(const StateTables& t, CellId id) {
  return id == kNowhere ? 0 : Fields(1) << 4 * type_of(t, id);
}
__device__ __forceinline__ uint64_t spread(uint64_t fields) {
  return (fields & 0xF) | (fields & 0xF0) << 12 | (fields & 0xF00) << 24 | (fields & 0xF000) << 36;
}

// A site's neighbours of other cells that follow it.
__device__ __forceinline__ Fields unlike(const RowTriple<Fields>& own,
                                         const RowTriple<Fields> (&following)[kFollowing]) {
  Fields sum = own.ids[2] != own.ids[1] ? own.values[2] : 0;
#pragma unroll
  for (int row = 0; row < kFollowing; ++row)
#pragma unroll
    for (int i = 0; i < 3; ++i) sum += following[row].ids[i] != own.ids[1] ? following[row].values[i] : 0;
  return sum;
}

}  // namespace kiln::device

// Adds to totals[own type * kTypes + type of a neighbour that follows]. Every thread has its own columns in
// shared memory.
extern "C" __global__ void count_contacts(const __grid_constant__ kiln::cuda::StateTables tables,
                                          uint64_t* totals) {
  using namespace kiln;
  using namespace kiln::device;
  constexpr int kThreads = cuda::contact_threads(model::kTypes);
  constexpr int64_t kTurnsPerFlush = kSitesPerFlush / Walk::kLength;
  __shared__ uint64_t columns[model::kTypes * kFieldWords][kThreads];
  const int64_t turns = (Walk::kCount + warp_count() - 1) / warp_count();
  for (int64_t first = 0; first < turns; first += kTurnsPerFlush) {
    for (auto& column : columns) column[threadIdx.x] = 0;
    for (int64_t turn = first; turn < turns && turn < first + kTurnsPerFlush; ++turn) {
      const int64_t number = turn * warp_count() + warp_number();
      if (number >= Walk::kCount) break;
      const Walk walk(tables, number);
      walk.run<Fields>([&](CellId id) { return field_of(tables, id); },
                       [&](const RowTriple<Fields>& own, const RowTriple<Fields>(&following)[kFollowing]) {
                         const Fields near = unlike(own, following);
                         if (!walk.is_home() || near == 0) return;
                         const int row = type_of(tables, own.ids[1]) * kFieldWords;
#pragma unroll
                         for (int word = 0; word < kFieldWords; ++word)
                           columns[row + word][threadIdx.x] += spread(near >> 16 * word);
                       });
    }
    for (int own = 0; own < model::kTypes; ++own)
      for (int other = 0; other < model::kTypes; ++other) {
        const uint64_t fields = columns[own * kFieldWords + other / 4][threadIdx.x];
        const uint32_t count = sum_of_warp(uint32_t(fields >> 16 * (other % 4)) & 0xFFFF);
        if (threadIdx.x % 32 == 0 && count != 0) add(totals + own * model::kTypes + other, count);
      }
  }
}

// Between the host's order of cells and the device's.
extern "C" __global__ void keys_from_host(const __grid_constant__ kiln::cuda::StateTables tables,
                                          const uint8_t* keys, uint8_t* to) {
  using namespace kiln::device;
  for (int64_t cell = thread_number(); cell < tables.cells; cell += thread_count())
    to[cell] = keys[tables.host_ids[cell]];
}
extern "C" __global__ void keys_to_host(const __grid_constant__ kiln::cuda::StateTables tables,
                                        const uint8_t* keys, uint8_t* to) {
  using namespace kiln::device;
  for (int64_t cell = thread_number(); cell < tables.cells; cell += thread_count())
    to[tables.host_ids[cell]] = keys[cell];
}

// Sets touches[] of cells beside a cell with another key; both tables in the device's order.
extern "C" __global__ void mark_touching(const __grid_constant__ kiln::cuda::StateTables tables,
                                         const uint8_t* keys, uint8_t* touches) {
  using namespace kiln;
  using namespace kiln::device;
  using Keys = RowTriple<uint32_t>;
  const auto key_of = [&](CellId id) { return id == kNowhere ? 0u : uint32_t(keys[id]); };
  const auto differ = [](uint32_t a, uint32_t b) { return a != b && a != 0 && b != 0; };
  for (int64_t number = warp_number(); number < Walk::kCount; number += warp_count())
    Walk(tables, number).run<uint32_t>(key_of, [&](const Keys& own, const Keys(&following)[kFollowing]) {
      // Lanes of the halo mark what another lane marks as well: twice does no harm.
      const auto compare = [&](const Keys& other, int i) {
        if (!differ(own.values[1], other.values[i])) return;
        touches[own.ids[1]] = 1;
        touches[other.ids[i]] = 1;
      };
      compare(own, 2);
#pragma unroll
      for (int row = 0; row < kFollowing; ++row)
#pragma unroll
        for (int i = 0; i < 3; ++i) compare(following[row], i);
    });
}

// A bit per site, 32 in a word: a warp makes a word.
extern "C" __global__ void mark_tracked(const __grid_constant__ kiln::cuda::StateTables tables,
                                        uint32_t* bits) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* sites = static_cast<const Word*>(tables.sites);
  const int64_t words = (kLattice.sites() + 31) / 32;
  for (int64_t word = thread_number() / 32; word < words; word += thread_count() / 32) {
    const int64_t site = word * 32 + threadIdx.x % 32;
    const bool tracked = site < kLattice.sites() && is_tracked(tables, id_of(sites[site]));
    const uint32_t all = __ballot_sync(~0u, tracked);
    if (threadIdx.x % 32 == 0) bits[word] = all;
  }
}

// Ids as the host knows them, and above them Act, of the sites that are seen from afar.
extern "C" __global__ void thin_sites(const __grid_constant__ kiln::cuda::StateTables tables, int32_t step,
                                      kiln::Vec3i size, uint32_t clock, uint64_t* to) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* sites = static_cast<const Word*>(tables.sites);
  const int64_t count = int64_t(size.x) * size.y * size.z;
  for (int64_t number = thread_number(); number < count; number += thread_count()) {
    const int64_t row = number / size.x;
    const Vec3i place{thinned_place(int32_t(number - row * size.x), step, model::kSize.x),
                      thinned_place(int32_t(row % size.y), step, model::kSize.y),
                      thinned_place(int32_t(row / size.y), step, model::kSize.z)};
    const Word word = sites[kLattice.index(place)];
    to[number] = uint64_t(act_of(word, clock)) << 32 | tables.host_ids[id_of(word)];
  }
}

// Per cell: its number among every stride-th of those on the host, -1 for others and those not tracked.
extern "C" __global__ void number_sample(const __grid_constant__ kiln::cuda::StateTables tables,
                                         int64_t stride, int32_t* numbers) {
  using namespace kiln;
  using namespace kiln::device;
  for (int64_t cell = thread_number(); cell < tables.cells; cell += thread_count()) {
    const int64_t before = int64_t(tables.host_ids[cell]) - 1;
    const bool is_one = is_tracked(tables, CellId(cell)) && before % stride == 0;
    numbers[cell] = is_one ? int32_t(before / stride) : -1;
  }
}

// Lists the sites of numbered cells, in any order, as far as there is room; counts all.
extern "C" __global__ void list_sites(const __grid_constant__ kiln::cuda::StateTables tables,
                                      const int32_t* numbers, kiln::cuda::ListedSite* list, int64_t room,
                                      uint64_t* count) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* sites = static_cast<const Word*>(tables.sites);
  for (int64_t site = thread_number(); site < kLattice.sites(); site += thread_count()) {
    const int32_t number = numbers[id_of(sites[site])];
    if (number < 0) continue;
    const auto at = int64_t(atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull));
    if (at < room) list[at] = {site, number};
  }
}

namespace kiln::device {

// Sets of `slots` entries each, a power of two; 0 is an empty entry.
struct NeighbourSets {
  uint32_t* entries;
  int32_t* sizes;
  uint32_t slots;
  uint32_t* overflow;  // becomes 1 where a set is too small

  __device__ __noinline__ void insert(int64_t set, CellId cell) const {
    uint32_t* const own = entries + set * slots;
    uint32_t at = cell * 2654435761u >> 8;  // 2^32 over the golden ratio
    for (uint32_t tries = 0; tries < slots; ++tries, ++at) {
      uint32_t* const entry = own + (at & (slots - 1));
      if (*static_cast<volatile uint32_t*>(entry) == cell) return;
      const uint32_t found = atomicCAS(entry, 0u, cell);
      if (found == 0) atomicAdd(sizes + set, 1);
      if (found == 0 || found == cell) return;
    }
    *overflow = 1;
  }
};

// Direct-mapped cache of pairs that were inserted, in shared memory: sites beside each other have the same
// neighbours. Entries are lost to collisions; a hit has been inserted, or is just being.
class RecentPairs {
 public:
  __device__ __forceinline__ void clear() {
    for (int slot = int(threadIdx.x); slot < kSlots; slot += int(blockDim.x)) pairs_[slot] = 0;
  }
  // Whether the pair is in the cache; it is from now on.
  __device__ __forceinline__ bool test_and_set(int64_t set, CellId cell) {
    const uint64_t pair = uint64_t(set) << 32 | cell;
    volatile uint64_t& slot = pairs_[uint32_t(pair * 0x9E3779B97F4A7C15ull >> (64 - kSlotBits))];
    if (slot == pair) return true;
    slot = pair;
    return false;
  }

 private:
  static constexpr int kSlotBits = 10, kSlots = 1 << kSlotBits;
  uint64_t pairs_[kSlots];  // 0: none, for no cell is the medium
};

__device__ __forceinline__ void insert_neighbours(const Word* sites, int64_t site, int64_t set,
                                                  const NeighbourSets& sets, RecentPairs& recent) {
  const CellId own = id_of(sites[site]);
  const Around around(place_of(Offset(site)));
  for (int z = kDim == 3 ? -1 : 0; z <= (kDim == 3 ? 1 : 0); ++z) {
    CellId near[9];  // loaded together, to overlap
#pragma unroll
    for (int i = 0; i < 9; ++i) {
      const Vec3i step{i % 3 - 1, i / 3 - 1, z};
      near[i] = around.inside(step) ? id_of(sites[around.at(step)]) : own;
    }
#pragma unroll
    for (int i = 0; i < 9; ++i) {
      const bool is_new = near[i] != own && near[i] != kMedium && (i == 0 || near[i] != near[i - 1]);
      if (is_new && !recent.test_and_set(set, near[i])) sets.insert(set, near[i]);
    }
  }
}

}  // namespace kiln::device

// Puts the cells that touch those with numbers from `first` to before `first + count` into sets. These are
// few, so a block first compacts their sites in a stretch of the lattice, then works on all of these at once.
extern "C" __global__ void collect_neighbours(const __grid_constant__ kiln::cuda::StateTables tables,
                                              const int32_t* numbers, int64_t first, int64_t count,
                                              uint32_t slots, uint32_t* entries, int32_t* sizes,
                                              uint32_t* overflow) {
  using namespace kiln;
  using namespace kiln::device;
  constexpr int kStretch = 1 << 14, kThreads = cuda::kGridStrideThreads, kBatch = 8;
  static_assert(kStretch % (kThreads * kBatch) == 0);
  __shared__ uint16_t found[kStretch];
  __shared__ int found_count;
  __shared__ RecentPairs recent;
  const NeighbourSets sets{entries, sizes, slots, overflow};
  const Word* sites = static_cast<const Word*>(tables.sites);
  recent.clear();
  const int64_t stretches = (kLattice.sites() + kStretch - 1) / kStretch;
  for (int64_t stretch = blockIdx.x; stretch < stretches; stretch += gridDim.x) {
    const int64_t begin = stretch * kStretch;
    if (threadIdx.x == 0) found_count = 0;
    __syncthreads();
    for (int at = int(threadIdx.x); at < kStretch; at += kThreads * kBatch) {
      CellId cells[kBatch];
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int64_t site = begin + at + i * kThreads;
        cells[i] = site < kLattice.sites() ? id_of(sites[site]) : kMedium;
      }
#pragma unroll
      for (int i = 0; i < kBatch; ++i) {
        const int64_t number = is_tracked(tables, cells[i]) ? numbers[cells[i]] - first : -1;
        if (number >= 0 && number < count) found[atomicAdd(&found_count, 1)] = uint16_t(at + i * kThreads);
      }
    }
    __syncthreads();
    for (int i = int(threadIdx.x); i < found_count; i += kThreads) {
      const int64_t site = begin + found[i];
      insert_neighbours(sites, site, numbers[id_of(sites[site])] - first, sets, recent);
    }
    __syncthreads();
  }
}
