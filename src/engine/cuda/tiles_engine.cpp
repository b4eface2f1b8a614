#include "engine/cuda/tiles_engine.hpp"

#include <algorithm>

#include "engine/between_mcs.hpp"
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
      state_(device_, std::move(state), physics.adhesion.types, max_act, CentroidSums::counted),
      survey_(device_, stream_, state_, physics),
      clock_(state_.lattice(), settings.tile),
      control_(device_, 1, "the counters") {
  const int64_t cells = state_.tables().cells;
  if (settings.passes == 1 && max_act == 0) extents_ = Buffer<Extent>(device_, cells, "the cells");
  if (settings.passes != 1) claims_ = Buffer<uint64_t>(device_, cells, "the cells");
  control_.fill(0);
  renew_claims();
  tables_.state = state_.tables();
  tables_.extents = extents_.data();
  tables_.claims = claims_.data();
  tables_.control = control_.data();
  tables_.seed = seed;
  compile(physics);
}

void TilesEngine::set_physics(const Physics& physics) {
  device_.synchronize();
  compile(physics);
}

void TilesEngine::compile(const Physics& physics) {
  const DeviceInfo& info = device_.info();
  const bool sparse = is_sparse(state_.last_known(), physics);
  const TilesKernels kernels =
      compile_tiles(physics, settings_, state_.layout(), state_.history_length(), architecture_for(info),
                    info.multiprocessors, info.shared_per_block, sparse);
  const Module module(device_, kernels.compiled.cubin);
  play_ = module.function("play");
  find_live_ = module.function("find_live");
  play_.allow_dynamic_shared(int(kernels.shape.shared_bytes));
  shape_ = {{unsigned(info.multiprocessors)},
            {unsigned(32 * kernels.shape.warps_per_block)},
            kernels.shape.shared_bytes,
            true};
  state_.use(module, physics);
  reserve_lists(kernels.shape);
  if (sparse && live_.size() == 0)
    live_ = Buffer<uint64_t>(device_, live_words(state_.lattice()), "the map of what is live");
  tables_.live = sparse ? live_.data() : nullptr;
  find_live();
}

// Every warp keeps its attempts, in the worst case all of a round. It takes no more steps than it has room
// for, and there is room for all.
void TilesEngine::reserve_lists(const KernelShape& shape) {
  const int64_t warps = int64_t(shape_.grid.x) * shape.warps_per_block, unit = shape.steps_per_unit;
  const int64_t steps = steps_of_round(state_.lattice(), settings_, shape.batches);
  const int64_t units_per_warp = ((steps + unit - 1) / unit + warps - 1) / warps;
  const int64_t step_tiles = int64_t(tiles::kStride) * shape.batches;
  const int64_t per_warp = (units_per_warp * unit + (shape.share_rest ? 4 : 0)) * step_tiles;
  const int64_t words = per_warp * warps * open_fields(settings_.passes, state_.layout().max_act);
  if (open_.size() < words) open_ = Buffer<uint32_t>(device_, words, "the attempts of a round");
  tables_.open = open_.data();
  tables_.open_per_warp = per_warp;
}

void TilesEngine::find_live() {
  looked_at_ = state_.mcs();
  if (tables_.live == nullptr) return;
  live_.fill(0, &stream_);
  find_live_.launch(state_.simple(), stream_, tables_);
}

// Where nothing happens between two MCS, several are played in one launch.
void TilesEngine::advance(int64_t mcs) {
  const int64_t every = mcs_between_anchor_checks(state_.lattice()), end = state_.mcs() + mcs;
  while (state_.mcs() < end) {
    int64_t span = std::min({end - state_.mcs(), every - state_.mcs() % every, int64_t(kMostMcsPerLaunch)});
    if (state_.history_length() > 0) span = 1;
    if (state_.layout().max_act > 0) span = std::min(span, state_.layout().mcs_between_refreshes());
    state_.begin(span, stream_);
    if (state_.mcs() - looked_at_ >= kMcsBetweenLooks) find_live();
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
  control.stamp = kFirstStamp;
  control_.upload(&control, 1);
  if (claims_.size() > 0) claims_.fill(0xFF);
  claims_renewed_at_ = state_.mcs();
}

AttemptCounts TilesEngine::counts() const {
  Control control;
  control_.download(&control, 1);
  return {int64_t(control.attempts), int64_t(control.live), int64_t(control.accepted)};
}

}  // namespace kiln::cuda
