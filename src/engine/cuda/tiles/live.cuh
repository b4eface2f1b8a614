// Boxes of the lattice that the `tiles` schedule can skip: no attempt in them is live, because all is one
// cell, or medium, or frozen. The map is rebuilt now and then; in between, every copy marks the boxes around
// it as live. So an unmarked box is dead for certain, and skipping it changes nothing but the time.
//
// Further constant of kiln::model: kSkipsDead.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles/data.hpp"

namespace kiln::device {

// A bit for every box of kWidth sites along x and cuda::kLiveHigh along y and z, a word for a row of boxes.
class LiveMap {
 public:
  __device__ explicit LiveMap(uint64_t* words) : words_(words) {}

  // Whether there may be live attempts on targets of a row of the lattice, from one x to another.
  __device__ __forceinline__ bool is_live(const Vec3i& first, int32_t last_x) const {
    const int from = max(first.x, 0) / kWidth, to = min(last_x, model::kSize.x - 1) / kWidth;
    return (words_[word_of(first.y, first.z)] >> from & ~uint64_t(0) >> (63 - (to - from))) != 0;
  }
  // The boxes of a site and of its neighbours.
  __device__ __forceinline__ void mark_around(const Vec3i& site) const {
    const uint64_t bits = bit_of(site.x) | bit_of(beside<0>(site.x, -1)) | bit_of(beside<0>(site.x, 1));
#pragma unroll
    for (int dz = kDim == 3 ? -1 : 0; dz <= (kDim == 3 ? 1 : 0); ++dz) {
      const int32_t z = beside<2>(site.z, dz);
      if (dz != 0 && z / kHigh == site.z / kHigh) continue;
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy) {
        const int32_t y = beside<1>(site.y, dy);
        if (dy == 0 || y / kHigh != site.y / kHigh) mark(word_of(y, z), bits);
      }
    }
  }
  __device__ __forceinline__ void mark(const Vec3i& site) const {
    mark(word_of(site.y, site.z), bit_of(site.x));
  }

 private:
  static constexpr int kWidth = cuda::live_width(kLattice), kHigh = cuda::kLiveHigh;

  __device__ __forceinline__ static int word_of(int32_t y, int32_t z) {
    return z / kHigh * cuda::live_rows(model::kSize.y) + y / kHigh;
  }
  __device__ __forceinline__ static uint64_t bit_of(int32_t x) { return uint64_t(1) << x / kWidth; }
  // The neighbour's place along an axis; the site's own beyond a wall.
  template <int Axis>
  __device__ __forceinline__ static int32_t beside(int32_t at, int step) {
    constexpr int32_t length = model::kSize[Axis];
    int32_t next = at + step;
    if (uint32_t(next) >= uint32_t(length)) next = !model::kPeriodic[Axis] ? at : next < 0 ? length - 1 : 0;
    return next;
  }
  // Nearly always it is marked already.
  __device__ __forceinline__ void mark(int word, uint64_t bits) const {
    if ((words_[word] & bits) != bits)
      atomicOr(reinterpret_cast<unsigned long long*>(words_ + word), static_cast<unsigned long long>(bits));
  }

  uint64_t* words_;
};

// Whether any attempt on a site, of cell `id` and not frozen, would be live.
__device__ __forceinline__ bool has_live_source(const StateTables& t, const Word* sites, const Vec3i& place,
                                                CellId id) {
  const Around around(place);
#pragma unroll
  for (int block = 0; block < kBlock; ++block) {
    const Vec3i step = step_to(block);
    if (block == kBlock / 2 || !around.inside(step)) continue;
    const CellId source = id_of(sites[around.at(step)]);
    if (source != id && frozen::is_live(id, false, source, is_of_frozen(t, source))) return true;
  }
  return false;
}

// Marks the live boxes of a map that was cleared.
__device__ __forceinline__ void find_live(const ThreadRange& threads, const cuda::TilesTables& tables) {
  const Word* sites = static_cast<const Word*>(tables.state.sites);
  const LiveMap map(tables.live);
  for (int64_t site = threads.rank; site < kWords; site += threads.count) {
    const Vec3i place = place_of(Offset(site));
    if (kRow > model::kSize.x && place.x >= model::kSize.x) continue;
    const CellId id = id_of(sites[site]);
    if (is_of_frozen(tables.state, id)) continue;
    if (has_live_source(tables.state, sites, place, id)) map.mark(place);
  }
}

}  // namespace kiln::device
