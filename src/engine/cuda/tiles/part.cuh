// What a player knows of its part of the tissue: on a whole lattice there is nobody else; on a brick others
// hear of copies that concern them, and what is open is kept from launch to launch.
#pragma once

#include "engine/cuda/ranks/tell.cuh"
#include "engine/cuda/tiles/crew.cuh"
#include "engine/cuda/tiles/open.cuh"
#include "engine/placed_physics.hpp"

namespace kiln::device {

template <bool kBrick>
class PlayedPart {
 public:
  __device__ __forceinline__ const Physics& placed(const Physics& physics) const { return physics; }
  __device__ __forceinline__ void flag_open(const crew::CrewBarrier& barrier, uint32_t) const {
    barrier.flag_open();
  }
  __device__ __forceinline__ void tell(const StateTables&, const Record&, const Vec3i&) const {}
};

template <>
class PlayedPart<true> {
 public:
  __device__ PlayedPart(const cuda::BrickTables& brick, const Vec3i& origin)
      : brick_(&brick), origin_(origin) {}

  __device__ __forceinline__ PlacedPhysics<Physics> placed(const Physics& physics) const {
    return {physics, origin_};
  }
  __device__ __forceinline__ cuda::WarpNotes& notes(uint32_t warp) const { return brick_->warps[warp]; }
  __device__ __forceinline__ void flag_open(const crew::CrewBarrier&, uint32_t stamp) const {
    *brick_->open_at = stamp;
  }
  // A copy that was carried out here.
  __device__ __forceinline__ void tell(const StateTables& state, const Record& r, const Vec3i& place) const {
    const uint64_t of_winner = r.winner != kMedium ? partners_of(*brick_, r.winner) : 0;
    const uint64_t of_loser = r.loser != kMedium ? partners_of(*brick_, r.loser) : 0;
    if ((of_winner | of_loser) == 0) return;
    if (of_winner != 0) atomicAdd(brick_->here + r.winner, 1);
    if (of_loser != 0) atomicAdd(brick_->here + r.loser, -1);
    device::tell(*brick_, of_winner | of_loser,
                 SentCopy(index_in(state.own, place), brick_->numbers[r.winner], brick_->numbers[r.loser],
                          cuda::winner_perimeter(r.packed), cuda::loser_perimeter(r.packed)));
  }

 private:
  const cuda::BrickTables* brick_;
  Vec3i origin_;
};

using Part = PlayedPart<model::kBrick>;

}  // namespace kiln::device
