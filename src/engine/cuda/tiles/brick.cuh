// A brick of a tissue: a launch for every part of a round, and what bricks tell each other in between.
#pragma once

#include "engine/cuda/between/kernels.cuh"
#include "engine/cuda/ranks/sharing.cuh"
#include "engine/cuda/ranks/talk.cuh"
#include "engine/cuda/tiles/player.cuh"

namespace kiln::device {

// Parts of a round, each in a launch of its own.
class BrickPlayer : public Player {
 public:
  __device__ BrickPlayer(const TilesTables& tables, const cuda::BrickTables& brick, Shared& shared)
      : Player(tables, shared, Part(brick, tables.state.origin)) {}

  __device__ void begin(const cuda::BrickTurn& turn) {
    stamp_ = turn.stamp;
    clock_ = turn.clock;
    round_ = &shared_.rounds[0];
    if (threadIdx.x == 0) shared_.rounds[0].set(tables_, turn.round);
    __syncthreads();
    count_ = part_.notes(warp_).open;
  }
  __device__ void judge_round(uint64_t number) {
    loader_.begin(*round_, number);
    judge_all();
  }
  __device__ void judge_open() { judge_again(); }
  __device__ void carry_out_some() { carry_out_owned(); }
  __device__ void carry_out_rest() { carry_out_all(); }
  __device__ void end() {
    const uint32_t attempts = sum_of_warp(loader_.attempts()), live = sum_of_warp(live_),
                   accepted = sum_of_warp(accepted_);
    if (lane_ != 0) return;
    cuda::WarpNotes& notes = part_.notes(warp_);
    notes.open = count_;
    notes.attempts += attempts;
    notes.live += live;
    notes.accepted += accepted;
  }
};

template <class Play>
__device__ __forceinline__ void play_part(const TilesTables& tables, const cuda::BrickTables& brick,
                                          const cuda::BrickTurn& turn, const Play& play) {
  extern __shared__ __align__(16) unsigned char shared_memory[];
  Shared& shared = *reinterpret_cast<Shared*>(shared_memory);
  fill_tables(shared);
  BrickPlayer player(tables, brick, shared);
  player.begin(turn);
  play(player);
  player.end();
}

}  // namespace kiln::device

#define KILN_PART_OF_ROUND extern "C" __global__ void __launch_bounds__(32 * kiln::model::kWarpsPerBlock, 1)

KILN_PART_OF_ROUND judge_all(const __grid_constant__ kiln::cuda::TilesTables tables,
                             const __grid_constant__ kiln::cuda::BrickTables brick,
                             const __grid_constant__ kiln::cuda::BrickTurn turn) {
  using namespace kiln::device;
  if (blockIdx.x == 0 && threadIdx.x == 0) tables.control->taken[(turn.round + 1) % 3] = 0;
  play_part(tables, brick, turn, [&](BrickPlayer& player) { player.judge_round(turn.round); });
}

KILN_PART_OF_ROUND judge_open(const __grid_constant__ kiln::cuda::TilesTables tables,
                              const __grid_constant__ kiln::cuda::BrickTables brick,
                              const __grid_constant__ kiln::cuda::BrickTurn turn) {
  using namespace kiln::device;
  if constexpr (!kOnePass) play_part(tables, brick, turn, [](BrickPlayer& player) { player.judge_open(); });
}

KILN_PART_OF_ROUND carry_out_owned(const __grid_constant__ kiln::cuda::TilesTables tables,
                                   const __grid_constant__ kiln::cuda::BrickTables brick,
                                   const __grid_constant__ kiln::cuda::BrickTurn turn) {
  using namespace kiln::device;
  if constexpr (!kOnePass)
    play_part(tables, brick, turn, [](BrickPlayer& player) { player.carry_out_some(); });
}

KILN_PART_OF_ROUND carry_out_all(const __grid_constant__ kiln::cuda::TilesTables tables,
                                 const __grid_constant__ kiln::cuda::BrickTables brick,
                                 const __grid_constant__ kiln::cuda::BrickTurn turn) {
  using namespace kiln::device;
  play_part(tables, brick, turn, [](BrickPlayer& player) { player.carry_out_rest(); });
}

extern "C" __global__ void find_live(const __grid_constant__ kiln::cuda::TilesTables tables) {
  kiln::device::find_live(kiln::device::whole_grid(), tables);
}
