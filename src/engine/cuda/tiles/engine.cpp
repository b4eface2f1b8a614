#include "engine/cuda/tiles/engine.hpp"

#include <algorithm>

namespace kiln::cuda {
namespace {

std::vector<State> one(State state) {
  std::vector<State> result;
  result.push_back(std::move(state));
  return result;
}

}  // namespace

TilesEngine::TilesEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                         int max_act, int device, Numbers numbers, const Model* living)
    : settings_(settings),
      numbers_(numbers),
      device_(device),
      stream_(device_),
      state_(device_, one(std::move(state)), physics.adhesion.types, max_act, room_of(living)),
      tick_(state_, state_.keeps_moments() ? CentroidSums::kept : CentroidSums::counted),
      physics_(physics),
      living_(
          living_stage_of(living, physics, device_, stream_, state_, tick_,
                          {[this](const ChangedSite* changed, int64_t count) { mark_live(changed, count); },
                           [this] { use_new_rows(); }})),
      survey_(device_, stream_, state_, physics),
      clock_(state_.lattice(), settings.tile),
      memory_(device_, state_.lattice(), settings, state_) {
  tables_.state = state_.tables();
  tables_.seed = seed;
  compile(physics);
}

void TilesEngine::set_physics(const Physics& physics) {
  device_.synchronize();
  numbers_ = Numbers::in_memory;
  compile(physics);
}

// Cells that come found no room, so all of them were numbered anew.
void TilesEngine::use_new_rows() {
  tables_.state = state_.tables();
  memory_.fit_to(state_);
  survey_.use_layout(physics_);
  compile(physics_);
}

void TilesEngine::compile(const Physics& physics) {
  physics_ = physics;
  const DeviceInfo& info = device_.info();
  const TilesKernels kernels =
      compile_tiles(physics, settings_, state_.layout(), state_.history_length(), numbers_,
                    architecture_for(info), info.multiprocessors, info.shared_per_block,
                    is_sparse(state_.last_known(), physics), all_sites(physics.lattice));
  const KernelShape& shape = kernels.shape;
  const Module module(device_, kernels.compiled.cubin);
  play_ = module.function("play");
  find_live_ = module.function("find_live");
  play_.allow_dynamic_shared(int(shape.shared_bytes));
  shape_ = {{unsigned(shape.crew)}, {unsigned(32 * shape.warps_per_block)}, shape.shared_bytes, true};
  state_.use(module);
  tick_.use(module);
  fields_.give(device_, module, physics);
  if (living_ != nullptr) {
    living_->give(module, physics);
    const Compiled marking = compile_mark_live(physics, settings_, state_.layout(), state_.history_length(),
                                               shape, numbers_, architecture_for(info));
    mark_live_ = Module(device_, marking.cubin).function("mark_live");
  }
  give_numbers(module, physics, numbers_, settings_.hopeless);
  memory_.reserve(shape, 1);
  memory_.give(tables_, 0, 0);
  find_live();
}

void TilesEngine::find_live() {
  if (memory_.clear_live(state_.mcs(), stream_)) find_live_.launch(state_.grid_stride(), stream_, tables_);
}

void TilesEngine::mark_live(const ChangedSite* changed, int64_t count) {
  if (memory_.has_live()) mark_live_.launch(state_.grid_stride(), stream_, tables_, changed, count);
}

// Where nothing happens between two MCS, several are played in one launch.
void TilesEngine::advance(int64_t mcs) {
  const int64_t end = state_.mcs() + mcs;
  while (state_.mcs() < end) {
    int64_t span =
        tick_.stages().span_from(state_.mcs(), std::min(end - state_.mcs(), int64_t(kMostMcsPerLaunch)));
    if (state_.layout().max_act > 0) span = std::min(span, state_.layout().mcs_between_refreshes());
    tick_.begin(span, stream_);
    if (memory_.is_live_old(state_.mcs())) find_live();
    play_.launch(shape_, stream_, tables_, span_of(clock_, state_.mcs(), span));
    tick_.finish(span, stream_);
    memory_.renew_claims_in_time(state_.mcs());
  }
  if (living_ != nullptr) living_->require_success();
  device_.synchronize();
}

}  // namespace kiln::cuda
