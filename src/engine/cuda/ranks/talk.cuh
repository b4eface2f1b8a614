// What bricks tell each other while they are played, and what they do with what they hear.
#pragma once

#include "engine/cuda/ranks/tell.cuh"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/live.cuh"
#include "engine/schedule/tiles.hpp"

namespace kiln::device {

using cuda::BrickTables;
using cuda::Inbox;
using cuda::TilesTables;

// Where a number is looked for first. The table has keys below and values above.
__device__ __forceinline__ uint32_t home_of(CellId number, uint32_t size) {
  return __umulhi(number * 0x9E3779B9u, size);
}
__device__ __forceinline__ uint32_t place_after(uint32_t place, uint32_t size) {
  return place + 1 == size ? 0 : place + 1;
}
// The device's own id of a cell; the medium where it is not shared here.
__device__ __forceinline__ CellId own_id(const BrickTables& brick, CellId number) {
  if (number == kMedium) return kMedium;
  for (uint32_t at = home_of(number, brick.own_ids_size);; at = place_after(at, brick.own_ids_size)) {
    const uint64_t pair = brick.own_ids[at];
    if (uint32_t(pair) == number) return CellId(pair >> 32);
    if (uint32_t(pair) == kMedium) return kMedium;
  }
}

// Calls hear(inbox, record) for all records of all partners. Then the counts of the outboxes of the swap
// before are set back: they were read before what is heard now was sent.
template <class Record, class Hear>
__device__ __forceinline__ void for_each_heard(const BrickTables& brick, const Inbox* inboxes,
                                               int32_t partners, const Hear& hear) {
  const ThreadRange threads = whole_grid();
  if (threads.rank < cuda::kMostPartners) {
    uint32_t& before = brick.sent_before[threads.rank];
    if (before != 0) add(brick.told_before, int64_t(before));
    before = 0;
  }
  for (int32_t p = 0; p < partners; ++p) {
    const Inbox inbox = inboxes[p];
    const auto near = int64_t(inbox.bytes / sizeof(Record));  // so many lie on the device
    // A count beyond the room there is was told as a fault, which ends the run a little later.
    const int64_t room = near + int64_t(inbox.overflow_bytes / sizeof(Record));
    const int64_t count = *inbox.count < room ? *inbox.count : room;
    const auto* records = reinterpret_cast<const Record*>(inbox.records);
    const auto* overflow = reinterpret_cast<const Record*>(inbox.overflow);
    for (int64_t i = threads.rank; i < count; i += threads.count)
      hear(inbox, i < near ? records[i] : overflow[i - near]);
  }
}

// A place of the lattice as stored here: on a periodic axis that is cut, the image that is stored, where one
// is.
__device__ __forceinline__ Vec3i stored_place(const StateTables& state, const Vec3i& place) {
  Vec3i p = place - state.origin;
#pragma unroll
  for (int axis = 0; axis < kDim; ++axis) {
    if (!kWhole.periodic[axis] || model::kPeriodic[axis]) continue;
    if (p[axis] < 0)
      p[axis] += kWhole.size[axis];
    else if (p[axis] >= kWhole.size[axis])
      p[axis] -= kWhole.size[axis];
  }
  return p;
}

__device__ __forceinline__ void change_cell(const StateTables& state, CellId cell, const Vec3i& place,
                                            int sign, int perimeter) {
  if (cell == kMedium) return;
  move_size(state.extents + cell, sign, perimeter);
  if (model::kTrackSums) move_centroid(state, cell, place, sign);
}

}  // namespace kiln::device

extern "C" __global__ void hear_copies(const __grid_constant__ kiln::cuda::TilesTables tables,
                                       const __grid_constant__ kiln::cuda::BrickTables brick,
                                       const kiln::cuda::Inbox* inboxes, int32_t partners, uint32_t clock) {
  using namespace kiln;
  using namespace kiln::device;
  const StateTables& state = tables.state;
  for_each_heard<SentCopy>(brick, inboxes, partners, [&](const Inbox& inbox, const SentCopy& copy) {
    const Vec3i target = stored_place(state, place_in(inbox.brick, copy.target()));
    const CellId winner = own_id(brick, copy.winner), loser = own_id(brick, copy.loser);
    change_cell(state, loser, target, -1, copy.loser_perimeter());
    change_cell(state, winner, target, +1, copy.winner_perimeter());
    if (!kLattice.contains(target)) return;
    if (winner == kMedium && copy.winner != kMedium) atomicOr(brick.faults, uint32_t(cuda::kCellUnknown));
    if (model::kSkipsDead) LiveMap(tables.live).mark_around(target);
    static_cast<Word*>(state.sites)[index(target)] =
        taken_by(model::physics(), winner, type_of(state, winner), clock);
  });
}

// A shared cell's claim of this pass, where a copy of the brick made one.
extern "C" __global__ void tell_claims(const __grid_constant__ kiln::cuda::TilesTables tables,
                                       const __grid_constant__ kiln::cuda::BrickTables brick,
                                       uint32_t stamp) {
  using namespace kiln;
  using namespace kiln::device;
  const ThreadRange threads = whole_grid();
  for (int64_t i = threads.rank; i < *brick.shared_count; i += threads.count) {
    const CellId cell = brick.shared[i];
    const uint64_t claim = tables.claims[cell];
    if (uint32_t(claim >> 32) == stamp)
      device::tell(brick, partners_of(brick, cell), SentClaim{brick.numbers[cell], uint32_t(claim)});
  }
}

extern "C" __global__ void hear_claims(const __grid_constant__ kiln::cuda::TilesTables tables,
                                       const __grid_constant__ kiln::cuda::BrickTables brick,
                                       const kiln::cuda::Inbox* inboxes, int32_t partners, uint32_t stamp) {
  using namespace kiln;
  using namespace kiln::device;
  for_each_heard<SentClaim>(brick, inboxes, partners, [&](const Inbox&, const SentClaim& claim) {
    const CellId cell = own_id(brick, claim.cell);
    if (cell != kMedium) lower(tables.claims + cell, tiles::claim_of(stamp, claim.priority));
  });
}

// Sums over the brick's sites of shared cells: of all, or of the marked ones.
extern "C" __global__ void tell_sums(const __grid_constant__ kiln::cuda::StateTables state,
                                     const __grid_constant__ kiln::cuda::BrickTables brick,
                                     bool marked_only) {
  using namespace kiln;
  using namespace kiln::device;
  const ThreadRange threads = whole_grid();
  for (int64_t i = threads.rank; i < *brick.shared_count; i += threads.count) {
    const CellId cell = brick.shared[i];
    if (brick.here[cell] == 0 || (marked_only && state.moved[cell] == 0)) continue;
    SentSums sums{brick.numbers[cell], 0, state.sums[cell], {}};
    if (model::kMoments) sums.moments = state.moments[cell];
    device::tell(brick, partners_of(brick, cell), sums);
  }
}

extern "C" __global__ void hear_sums(const __grid_constant__ kiln::cuda::StateTables state,
                                     const __grid_constant__ kiln::cuda::BrickTables brick,
                                     const kiln::cuda::Inbox* inboxes, int32_t partners) {
  using namespace kiln;
  using namespace kiln::device;
  for_each_heard<SentSums>(brick, inboxes, partners, [&](const Inbox&, const SentSums& sums) {
    const CellId cell = own_id(brick, sums.cell);
    if (cell == kMedium) return;
    for (int axis = 0; axis < kDim; ++axis) add(&state.sums[cell][axis], sums.sum[axis]);
    if (model::kMoments)
      for (int k = 0; k < Moments::count(kDim); ++k) add(&state.moments[cell].of[k], sums.moments.of[k]);
  });
}
