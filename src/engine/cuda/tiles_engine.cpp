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
      clock_(state_.lattice(), settings.tile),
      claims_(device_, state_.tables().cells, "the cells"),
      control_(device_, 1, "the counters"),
      claims_renewed_at_(state_.mcs()) {
  tables_ = {state_.tables(), claims_.data(), nullptr, nullptr, control_.data(), 0, seed};
  control_.fill(0);
  renew_claims();
  compile(physics);
}

// Of 32 tiles, in the fullest round.
int64_t TilesEngine::most_steps() const {
  const Lattice& lattice = state_.lattice();
  int64_t steps = 1;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    const int64_t side = settings_.tile[axis];
    const int64_t tiles = (lattice.size[axis] + (lattice.periodic[axis] ? 0 : 2 * (side - 1))) / side;
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
  const TilesKernels kernels =
      compile_tiles(physics, settings_, state_.layout(), state_.history_length(), unit,
                    architecture_for(device_.info()), device_.info().shared_per_block);
  const Module module(device_, kernels.compiled.cubin);
  play_ = module.function("play");
  play_.allow_dynamic_shared(int(kernels.shape.shared_bytes));
  shape_ = {{unsigned(device_.info().multiprocessors)},
            {unsigned(32 * kernels.shape.warps_per_block)},
            kernels.shape.shared_bytes,
            true};
  state_.use(module, physics);
  reserve_open(kernels.shape.warps_per_block, unit);
  find_spans(module, physics);
}

// Every warp keeps its attempts, in the worst case all of a round. A warp takes no more units than it has
// room for, and there is room for all.
void TilesEngine::reserve_open(int warps_per_block, int steps_per_unit) {
  const int64_t warps = int64_t(shape_.grid.x) * warps_per_block;
  const int64_t per_warp = ((most_steps() + warps - 1) / warps + 3 * steps_per_unit + 2) * tiles::kStride;
  const int64_t words = per_warp * warps * open_fields(settings_.passes, state_.layout().max_act);
  if (open_.size() < words) open_ = Buffer<uint32_t>(device_, words, "the attempts of a round");
  tables_.open = open_.data();
  tables_.open_per_warp = per_warp;
}

// Frozen sites stay as they are, so rows know for good where they have others.
void TilesEngine::find_spans(const Module& module, const Physics& physics) {
  tables_.spans = nullptr;
  if (!physics.uses.frozen) return;
  const Vec3i& size = state_.lattice().size;
  if (spans_.size() == 0) spans_ = Buffer<RowSpan>(device_, int64_t(size.y) * size.z, "the rows");
  tables_.spans = spans_.data();
  module.function("find_spans").launch(state_.simple(), stream_, tables_);
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
  play_.launch(shape_, stream_, tables_, span);
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
