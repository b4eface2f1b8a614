#include "engine/cuda/tiles_engine.hpp"

#include <algorithm>

#include "engine/bookkeeping.hpp"
#include "engine/cuda/tiles_source.hpp"

namespace kiln::cuda {
namespace {

constexpr int64_t kMcsBetweenRenewals = 100'000;  // of claims: their stamps last for many times as long

}  // namespace

TilesEngine::TilesEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                         int max_act, int device)
    : settings_(settings),
      device_(device),
      stream_(device_),
      state_(device_, std::move(state), physics.adhesion.types, max_act,
             state.history_length > 0 ? CentroidSums::kept : CentroidSums::counted),
      clock_(state_.lattice(), settings.spacing),
      claims_(device_, state_.tables().cells, "the cells"),
      control_(device_, 1, "the counters"),
      claims_renewed_at_(state_.mcs()) {
  tables_ = {state_.tables(), claims_.data(), nullptr, control_.data(), 0, seed};
  control_.fill(0);
  renew_claims();
  compile(physics);
}

// Of 32 tiles, in the fullest round.
int64_t TilesEngine::most_steps() const {
  const Lattice& lattice = state_.lattice();
  int64_t steps = 1;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const int64_t tiles = (lattice.size[axis] + settings_.spacing - 1) / settings_.spacing;
    steps *= axis == 0 ? (tiles + tiles::kStride - 1) / tiles::kStride : tiles;
  }
  return steps;
}

void TilesEngine::set_physics(const Physics& physics) {
  device_.synchronize();
  compile(physics);
}

void TilesEngine::compile(const Physics& physics) {
  // Where warps have few steps each, they take single ones: it balances better than whole draws.
  const int64_t warps = int64_t(device_.info().multiprocessors) * 24;
  const int unit = most_steps() < 16 * warps ? 1 : 4;
  const TilesKernels kernels = compile_tiles(physics, settings_, state_.layout(), state_.history_length(),
                                             unit, architecture_for(device_.info()));
  const Module module(device_, kernels.compiled.cubin);
  play_ = module.function("play");
  state_.use(module, physics);
  block_ = unsigned(32 * kernels.shape.warps_per_block);
  grid_ = unsigned(device_.info().multiprocessors);
  reserve_open();
}

// Every warp keeps its attempts, all of a round in the worst case.
void TilesEngine::reserve_open() {
  const int64_t warps = int64_t(grid_) * (block_ / 32), per_warp = (most_steps() + warps - 1) / warps + 4;
  if (open_.size() < per_warp * warps * tiles::kStride)
    open_ = Buffer<OpenAttempt>(device_, per_warp * warps * tiles::kStride, "the attempts of a round");
  tables_.open = open_.data();
  tables_.open_per_warp = per_warp * tiles::kStride;
}

// Where nothing happens between two MCS, several are played in one launch.
void TilesEngine::advance(int64_t mcs) {
  const int64_t every = mcs_between_anchor_checks(state_.lattice()), end = state_.mcs() + mcs;
  while (state_.mcs() < end) {
    int64_t span = std::min({end - state_.mcs(), every - state_.mcs() % every, int64_t(kMostMcsPerLaunch)});
    if (state_.history_length() > 0) span = 1;
    if (state_.layout().max_act > 0) span = std::min(span, state_.layout().mcs_between_refreshes());
    state_.begin(span, stream_);
    launch(span);
    state_.finish(span, stream_);
    if (state_.mcs() - claims_renewed_at_ > kMcsBetweenRenewals) renew_claims();
  }
  device_.synchronize();
}

void TilesEngine::launch(int64_t mcs) {
  Span span{};
  span.first_mcs = state_.mcs();
  span.mcs = int32_t(mcs);
  for (int64_t m = 0; m <= mcs; ++m) span.rounds[m] = clock_.rounds_after(span.first_mcs + m);
  play_.launch({{grid_}, {block_}, 0, true}, stream_, tables_, span);
}

void TilesEngine::renew_claims() {
  Control control;
  control_.download(&control, 1);
  control.claim_stamp = kFirstClaimStamp;
  control_.upload(&control, 1);
  claims_.fill(0xFF);
  claims_renewed_at_ = state_.mcs();
}

AttemptCounts TilesEngine::counts() const {
  Control control;
  control_.download(&control, 1);
  return {int64_t(control.attempts), int64_t(control.live), int64_t(control.accepted)};
}

}  // namespace kiln::cuda
