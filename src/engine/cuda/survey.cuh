// What measures count on a lattice, on the device (see engine/lattice_survey.hpp). Compiled behind
// model_prologue.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/survey_data.hpp"

namespace kiln::device {

// Four sites of a row, ids[1] to ids[4], between those beside them; kNowhere where there is no site. Where
// the row ends among the four, what lies behind its wall follows.
struct Strip {
  static constexpr int kSites = 4;
  CellId ids[kSites + 2];

  __device__ __forceinline__ Strip(const Word* row, int32_t x) {
#pragma unroll
    for (int i = 0; i < kSites + 2; ++i) {
      int32_t at = x + i - 1;
      if (model::kPeriodic.x && at == -1) at = model::kSize.x - 1;
      if (model::kPeriodic.x && at == model::kSize.x) at = 0;
      ids[i] = at >= 0 && at < model::kSize.x ? id_of(row[at]) : kNowhere;
    }
  }
};

// The strips of a lattice by number. With its own pairs, and those with the rows that follow, every pair of
// neighbouring sites is met once.
class StripPlace {
 public:
  static constexpr int64_t kPerRow = (model::kSize.x + Strip::kSites - 1) / Strip::kSites;
  static constexpr int64_t kCount = kPerRow * model::kSize.y * model::kSize.z;
  static constexpr int kFollowing = kDim == 3 ? 4 : 1;  // rows

  __device__ __forceinline__ StripPlace(const StateTables& tables, int64_t number)
      : sites_(static_cast<const Word*>(tables.sites)) {
    const int64_t row = number / kPerRow;
    x_ = int32_t(number - row * kPerRow) * Strip::kSites;
    y_ = int32_t(row % model::kSize.y);
    z_ = int32_t(row / model::kSize.y);
  }
  // Sites of the strip that are in its row.
  __device__ __forceinline__ int count() const {
    return model::kSize.x - x_ < Strip::kSites ? model::kSize.x - x_ : Strip::kSites;
  }
  __device__ __forceinline__ Strip own() const { return {sites_ + kLattice.index({0, y_, z_}), x_}; }
  // Calls visit(strip) for the strips at the same x in the rows that follow.
  template <class Visit>
  __device__ __forceinline__ void for_following(const Visit& visit) const {
#pragma unroll
    for (int k = 0; k < kFollowing; ++k) {
      Vec3i place{0, y_ + (k == 0 ? 1 : k - 2), z_ + (k == 0 ? 0 : 1)};
      if (kLattice.wrap(place)) visit(Strip(sites_ + kLattice.index(place), x_));
    }
  }

 private:
  const Word* sites_;
  int32_t x_, y_, z_;
};

__device__ __forceinline__ bool is_tracked(const StateTables& t, CellId cell) {
  return cell != kMedium && t.extents[cell].volume != 0;
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

// Per site of a strip: its neighbours of other cells that follow it.
struct NearFields {
  Fields of[Strip::kSites] = {};

  __device__ __forceinline__ NearFields(const StateTables& t, const StripPlace& place, const Strip& own) {
#pragma unroll
    for (int i = 0; i < Strip::kSites; ++i)
      add(i, own.ids[i + 1], own.ids[i + 2], field_of(t, own.ids[i + 2]));
    place.for_following([&](const Strip& other) {
      Fields field[Strip::kSites + 2];
#pragma unroll
      for (int i = 0; i < Strip::kSites + 2; ++i) field[i] = field_of(t, other.ids[i]);
#pragma unroll
      for (int i = 0; i < Strip::kSites; ++i)
#pragma unroll
        for (int j = i; j < i + 3; ++j) add(i, own.ids[i + 1], other.ids[j], field[j]);
    });
  }

 private:
  __device__ __forceinline__ void add(int i, CellId mine, CellId other, Fields field) {
    of[i] += mine != other ? field : 0;
  }
};

__device__ __forceinline__ uint32_t sum_over_warp(uint32_t mine) {
  for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
  return mine;
}

}  // namespace kiln::device

// Adds to totals[own type * kTypes + type of a neighbour that follows]. Every thread has its own columns in
// shared memory.
extern "C" __global__ void count_contacts(const __grid_constant__ kiln::cuda::StateTables tables,
                                          uint64_t* totals) {
  using namespace kiln;
  using namespace kiln::device;
  constexpr int kThreads = cuda::contact_threads(model::kTypes);
  constexpr int64_t kTurnsPerFlush = kSitesPerFlush / Strip::kSites;
  __shared__ uint64_t columns[model::kTypes * kFieldWords][kThreads];
  const int64_t turns = (StripPlace::kCount + thread_count() - 1) / thread_count();
  for (int64_t first = 0; first < turns; first += kTurnsPerFlush) {
    for (auto& column : columns) column[threadIdx.x] = 0;
    for (int64_t turn = first; turn < turns && turn < first + kTurnsPerFlush; ++turn) {
      const int64_t number = turn * thread_count() + thread_number();
      if (number >= StripPlace::kCount) break;
      const StripPlace place(tables, number);
      const Strip own = place.own();
      const NearFields near(tables, place, own);
#pragma unroll
      for (int i = 0; i < Strip::kSites; ++i) {
        if (i >= place.count() || near.of[i] == 0) continue;
        const int row = type_of(tables, own.ids[i + 1]) * kFieldWords;
#pragma unroll
        for (int word = 0; word < kFieldWords; ++word)
          columns[row + word][threadIdx.x] += spread(near.of[i] >> 16 * word);
      }
    }
    for (int own = 0; own < model::kTypes; ++own)
      for (int other = 0; other < model::kTypes; ++other) {
        const uint64_t fields = columns[own * kFieldWords + other / 4][threadIdx.x];
        const uint32_t count = sum_over_warp(uint32_t(fields >> 16 * (other % 4)) & 0xFFFF);
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
  const auto key_of = [&](CellId id) { return id == kNowhere ? uint8_t(0) : keys[id]; };
  const auto compare = [&](CellId a, uint8_t key_a, CellId b, uint8_t key_b) {
    if (key_a == key_b || key_a == 0 || key_b == 0) return;
    touches[a] = 1;
    touches[b] = 1;
  };
  for (int64_t number = thread_number(); number < StripPlace::kCount; number += thread_count()) {
    const StripPlace place(tables, number);
    const Strip own = place.own();
    uint8_t key[Strip::kSites + 1];  // of the sites, and of the one behind
#pragma unroll
    for (int i = 0; i <= Strip::kSites; ++i) key[i] = key_of(own.ids[i + 1]);
      // What is behind the row's end has been met elsewhere, or is met twice, which does no harm.
#pragma unroll
    for (int i = 0; i < Strip::kSites; ++i) compare(own.ids[i + 1], key[i], own.ids[i + 2], key[i + 1]);
    place.for_following([&](const Strip& other) {
      uint8_t keys_there[Strip::kSites + 2];
#pragma unroll
      for (int i = 0; i < Strip::kSites + 2; ++i) keys_there[i] = key_of(other.ids[i]);
#pragma unroll
      for (int i = 0; i < Strip::kSites; ++i)
#pragma unroll
        for (int j = i; j < i + 3; ++j) compare(own.ids[i + 1], key[i], other.ids[j], keys_there[j]);
    });
  }
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

// For cells with numbers from `first` to before `first + count`: puts the cells that touch them into sets of
// `slots` entries each, a power of two; 0 is an empty entry. Where a set is too small, *overflow becomes 1.
extern "C" __global__ void collect_neighbours(const __grid_constant__ kiln::cuda::StateTables tables,
                                              const int32_t* numbers, int64_t first, int64_t count,
                                              uint32_t slots, uint32_t* sets, int32_t* sizes,
                                              uint32_t* overflow) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* sites = static_cast<const Word*>(tables.sites);
  for (int64_t site = thread_number(); site < kLattice.sites(); site += thread_count()) {
    const CellId own = id_of(sites[site]);
    const int64_t number = numbers[own] - first;
    if (number < 0 || number >= count) continue;
    uint32_t* const set = sets + number * slots;
    const Around around(place_of(Offset(site)));
    for (int block = 0; block < kBlock; ++block) {
      if (!around.inside(step_to(block))) continue;
      const CellId other = id_of(sites[around.at(step_to(block))]);
      if (other == own || other == kMedium) continue;
      uint32_t at = other * 2654435761u >> 8;  // 2^32 over the golden ratio
      uint32_t tries = 0;
      for (; tries < slots; ++tries, ++at) {
        uint32_t* const entry = set + (at & (slots - 1));
        if (*static_cast<volatile uint32_t*>(entry) == other) break;
        const uint32_t before = atomicCAS(entry, 0u, other);
        if (before == 0) atomicAdd(sizes + number, 1);
        if (before == 0 || before == other) break;
      }
      if (tries == slots) *overflow = 1;
    }
  }
}
