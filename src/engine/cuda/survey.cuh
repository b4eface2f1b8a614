// What measures count on a lattice, on the device (see engine/lattice_survey.hpp). Compiled behind
// model_prologue.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/survey_data.hpp"

namespace kiln::device {

// A site with half of its neighbours, so that every pair of sites is met once.
class SiteLook {
 public:
  __device__ __forceinline__ SiteLook(const StateTables& tables, int64_t site)
      : sites_(static_cast<const Word*>(tables.sites)),
        around_(place_of(Offset(site))),
        id_(id_of(sites_[site])) {}

  __device__ __forceinline__ CellId id() const { return id_; }
  // Calls visit(id) for the neighbours of other cells: all, or those that follow.
  template <class Visit>
  __device__ __forceinline__ void for_following(const Visit& visit) const {
#pragma unroll
    for (int block = kBlock / 2 + 1; block < kBlock; ++block) look(block, visit);
  }
  template <class Visit>
  __device__ __forceinline__ void for_all(const Visit& visit) const {
    for (int block = 0; block < kBlock; ++block)
      if (block != kBlock / 2) look(block, visit);
  }

 private:
  template <class Visit>
  __device__ __forceinline__ void look(int block, const Visit& visit) const {
    const Vec3i step = step_to(block);
    if (!around_.inside(step)) return;
    const CellId other = id_of(sites_[around_.at(step)]);
    if (other != id_) visit(other);
  }

  const Word* sites_;
  Around around_;
  CellId id_;
};

__device__ __forceinline__ bool is_tracked(const StateTables& t, CellId cell) {
  return cell != kMedium && t.extents[cell].volume != 0;
}

// The number of a cell among every stride-th of those on the host, -1 for others and those not tracked.
__device__ __forceinline__ int64_t number_of(const StateTables& t, CellId cell, int64_t stride) {
  if (!is_tracked(t, cell)) return -1;
  const int64_t before = int64_t(t.host_ids[cell]) - 1;
  return before % stride == 0 ? before / stride : -1;
}

// Neighbours by type: fields of 4 bits hold those of a site, fields of 16 those of kSitesPerFlush sites.
constexpr int kFieldWords = (model::kTypes + 3) / 4, kSitesPerFlush = 4096;
static_assert((kBlock - 1) / 2 * kSitesPerFlush < 1 << 16 && (kBlock - 1) / 2 < 1 << 4);

__device__ __forceinline__ uint64_t spread(uint64_t fields) {
  return (fields & 0xF) | (fields & 0xF0) << 12 | (fields & 0xF00) << 24 | (fields & 0xF000) << 36;
}

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
  __shared__ uint64_t columns[model::kTypes * kFieldWords][kThreads];
  const int64_t turns = (kLattice.sites() + thread_count() - 1) / thread_count();
  for (int64_t first = 0; first < turns; first += kSitesPerFlush) {
    for (auto& column : columns) column[threadIdx.x] = 0;
    for (int64_t turn = first; turn < turns && turn < first + kSitesPerFlush; ++turn) {
      const int64_t site = turn * thread_count() + thread_number();
      if (site >= kLattice.sites()) break;
      const SiteLook look(tables, site);
      uint64_t near = 0;
      look.for_following([&](CellId other) { near += uint64_t(1) << 4 * type_of(tables, other); });
      if (near == 0) continue;
      const int row = type_of(tables, look.id()) * kFieldWords;
#pragma unroll
      for (int word = 0; word < kFieldWords; ++word)
        columns[row + word][threadIdx.x] += spread(near >> 16 * word);
    }
    for (int own = 0; own < model::kTypes; ++own)
      for (int other = 0; other < model::kTypes; ++other) {
        uint32_t count =
            uint32_t(columns[own * kFieldWords + other / 4][threadIdx.x] >> 16 * (other % 4)) & 0xFFFF;
        count = sum_over_warp(count);
        if (threadIdx.x % 32 == 0 && count != 0) add(totals + own * model::kTypes + other, count);
      }
  }
}

// Sets touches[] of cells beside a cell with another key; both tables in the host's order.
extern "C" __global__ void mark_touching(const __grid_constant__ kiln::cuda::StateTables tables,
                                         const uint8_t* keys, uint8_t* touches) {
  using namespace kiln;
  using namespace kiln::device;
  for (int64_t site = thread_number(); site < kLattice.sites(); site += thread_count()) {
    const SiteLook look(tables, site);
    const CellId own = tables.host_ids[look.id()];
    const uint8_t key = keys[own];
    if (key == 0) continue;
    look.for_following([&](CellId cell) {
      const CellId other = tables.host_ids[cell];
      if (keys[other] == 0 || keys[other] == key) return;
      touches[own] = 1;
      touches[other] = 1;
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

// Lists the sites of every stride-th cell, in any order, as far as there is room; counts all.
extern "C" __global__ void list_sites(const __grid_constant__ kiln::cuda::StateTables tables, int64_t stride,
                                      kiln::cuda::ListedSite* list, int64_t room, uint64_t* count) {
  using namespace kiln;
  using namespace kiln::device;
  const Word* sites = static_cast<const Word*>(tables.sites);
  for (int64_t site = thread_number(); site < kLattice.sites(); site += thread_count()) {
    const int64_t number = number_of(tables, id_of(sites[site]), stride);
    if (number < 0) continue;
    const auto at = int64_t(atomicAdd(reinterpret_cast<unsigned long long*>(count), 1ull));
    if (at < room) list[at] = {site, number};
  }
}

// For cells with numbers from `first` to before `first + count`: puts the cells that touch them into sets of
// `slots` entries each, a power of two; 0 is an empty entry. Where a set is too small, *overflow becomes 1.
extern "C" __global__ void collect_neighbours(const __grid_constant__ kiln::cuda::StateTables tables,
                                              int64_t stride, int64_t first, int64_t count, uint32_t slots,
                                              uint32_t* sets, int32_t* sizes, uint32_t* overflow) {
  using namespace kiln;
  using namespace kiln::device;
  for (int64_t site = thread_number(); site < kLattice.sites(); site += thread_count()) {
    const SiteLook look(tables, site);
    const int64_t number = number_of(tables, look.id(), stride) - first;
    if (number < 0 || number >= count) continue;
    uint32_t* const set = sets + number * slots;
    look.for_all([&](CellId other) {
      if (other == kMedium) return;
      uint32_t at = other * 2654435761u >> 8;  // 2^32 over the golden ratio
      for (uint32_t tries = 0; tries < slots; ++tries, ++at) {
        uint32_t* const entry = set + (at & (slots - 1));
        if (*static_cast<volatile uint32_t*>(entry) == other) return;
        const uint32_t before = atomicCAS(entry, 0u, other);
        if (before == 0) atomicAdd(sizes + number, 1);
        if (before == 0 || before == other) return;
      }
      *overflow = 1;
    });
  }
}
