// Many simulations of one model at once, the members of an ensemble: each is played by a crew, from one end
// of a span to the other, with all that happens between two MCS. Crews never wait for each other.
//
// Further constants of kiln::model: kBlocksPerMultiprocessor, kAnchorChecks (MCS between two, 0: none).
#pragma once

#include "engine/cuda/state/gather.cuh"
#include "engine/cuda/tiles/player.cuh"
#include "engine/schedule/tick.hpp"

namespace kiln::device {

struct MembersShared {
  Shared game;
  TilesTables tables;  // of the member that is played now
};

// Rare work, out of line, so that it takes no registers from the rest.
struct OutOfLine {
  __device__ __noinline__ static void count_sums(const StateTables& tables, cuda::Extent* sizes,
                                                 bool marked_only) {
    add_up_sums(crew::threads(), with(tables, sizes), marked_only);
  }
  __device__ __noinline__ static void clear_sums(const StateTables& tables) {
    const ThreadRange threads = crew::threads();
    for (int64_t cell = threads.rank; cell < tables.cells; cell += threads.count) {
      tables.sums[cell] = {0, 0, 0};
      if (model::kMoments) tables.moments[cell] = {};
    }
  }
  __device__ __noinline__ static void move_anchors(const StateTables& tables, cuda::Extent* sizes) {
    move_far_anchors(crew::threads(), with(tables, sizes));
  }
  __device__ __noinline__ static void turn(const StateTables& tables, cuda::Extent* sizes, int64_t mcs) {
    turn_cells(crew::threads(), with(tables, sizes), mcs);
  }
  __device__ __noinline__ static void refresh_stamps(const StateTables& tables, uint32_t clock) {
    set_stamps_back(crew::threads(), tables, clock);
  }

 private:
  __device__ __forceinline__ static StateTables with(const StateTables& tables, cuda::Extent* sizes) {
    StateTables result = tables;
    result.extents = sizes;
    return result;
  }
};

// The tick, played by a crew.
struct CrewStages {
  Player& player;
  const StateTables& tables;

  __device__ __forceinline__ void age_act() {}  // stamps tell how old a site is
  __device__ __forceinline__ void count_sums() {
    OutOfLine::clear_sums(tables);
    player.wait();
    OutOfLine::count_sums(tables, player.sizes(), false);
    player.wait();
  }
  __device__ __forceinline__ void move_anchors() {
    OutOfLine::move_anchors(tables, player.sizes());
    player.wait();
    if (*tables.anchors_moved == 0) return;
    OutOfLine::count_sums(tables, player.sizes(), true);
    player.wait();
    if (crew::threads().rank == 0) *tables.anchors_moved = 0;
  }
  __device__ __forceinline__ void turn_cells(int64_t mcs) {
    OutOfLine::turn(tables, player.sizes(), mcs);
    player.wait();
  }
};

// At the end of MCS number `mcs`.
__device__ __forceinline__ void end_mcs(Player& player, const StateTables& tables, int64_t mcs) {
  constexpr Tick tick{model::kAnchorChecks, model::kHistory > 0, !model::kTrackSums};
  CrewStages stages{player, tables};
  play_tick(tick, mcs, stages);
}

// Loads a member's tables into shared memory, and points `open` at this crew's own lists.
__device__ __forceinline__ void load_member(const TilesTables& from, TilesTables& to, uint32_t number) {
  __syncthreads();  // the last member's tables are no longer read
  static_assert(sizeof(TilesTables) % sizeof(uint32_t) == 0);
  for (uint32_t i = threadIdx.x; i < sizeof(TilesTables) / sizeof(uint32_t); i += blockDim.x)
    reinterpret_cast<uint32_t*>(&to)[i] = reinterpret_cast<const uint32_t*>(&from)[i];
  __syncthreads();
  if (threadIdx.x == 0)
    to.open += int64_t(number) * crew::kWarps * to.open_per_warp *
               cuda::open_fields(model::kPasses, model::kMaxAct, model::kMoments, false);
  __syncthreads();
}

}  // namespace kiln::device

extern "C" __global__ void __launch_bounds__(32 * kiln::model::kWarpsPerBlock,
                                             kiln::model::kBlocksPerMultiprocessor)
    play_members(const kiln::cuda::TilesTables* members, int32_t count, bool refresh,
                 const __grid_constant__ kiln::cuda::Span span) {
  using namespace kiln;
  extern __shared__ __align__(16) unsigned char shared_memory[];
  device::MembersShared& shared = *reinterpret_cast<device::MembersShared*>(shared_memory);
  device::fill_tables(shared.game);
  const int32_t crew = int32_t(blockIdx.x / model::kCrew), crews = int32_t(gridDim.x / model::kCrew);
  for (int32_t member = crew; member < count; member += crews) {
    device::load_member(members[member], shared.tables, uint32_t(crew));
    device::Player player(shared.tables, shared.game, {});
    if (refresh) {
      device::OutOfLine::refresh_stamps(shared.tables.state, uint32_t(span.first_mcs));
      player.wait();
    }
    player.play(span, [&](int64_t mcs) { device::end_mcs(player, shared.tables.state, mcs); });
  }
}

// Counts all centroid sums from the lattice; they were cleared before.
extern "C" __global__ void count_sums_of_members(const kiln::cuda::TilesTables* members, int32_t count) {
  for (int32_t member = int32_t(blockIdx.x); member < count; member += int32_t(gridDim.x))
    kiln::device::add_up_sums(kiln::device::whole_block(), members[member].state, false);
}

extern "C" __global__ void find_live_of_members(const kiln::cuda::TilesTables* members, int32_t count) {
  for (int32_t member = int32_t(blockIdx.x); member < count; member += int32_t(gridDim.x))
    kiln::device::find_live(kiln::device::whole_block(), members[member]);
}
