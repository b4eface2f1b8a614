#include "engine/cuda/checkerboard/engine.hpp"

#include <algorithm>

#include "engine/cuda/driver/kernel_cache.hpp"
#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln::cuda {
namespace {

// Kernels that are not specialised know Act, whether a model uses it or not; those that skip nothing read
// directions, too.
std::vector<State> ready_for(State state, const BoardKernels& kernels) {
  if (!kernels.specialised && state.act.empty()) state.act = HugeVector<ActValue>(state.ids.size());
  if (!kernels.skipping) state.cells.direction.resize(state.cells.count());
  std::vector<State> one;
  one.push_back(std::move(state));
  return one;
}

// So little that no verdict changes, but nothing is skipped. (Terms that the paper has.)
std::vector<TypePhysics> with_all_terms(const Physics& physics, TermsInUse& uses) {
  constexpr float kNearlyNothing = 1e-30f;
  const auto at_least = [](float& lambda) { lambda = lambda == 0 ? kNearlyNothing : lambda; };
  std::vector<TypePhysics> types(physics.types.first, physics.types.first + physics.adhesion.types);
  for (TypePhysics& type : types) {
    at_least(type.volume.lambda);
    at_least(type.perimeter.lambda);
    at_least(type.chemotaxis.lambda);
    at_least(type.persistence.lambda);
    at_least(type.act.lambda);
    type.act.max = std::max(1.0f, type.act.max);
  }
  uses.volume = uses.perimeter = uses.chemotaxis = uses.persistence = uses.act = true;
  return types;
}

}  // namespace

CheckerboardEngine::CheckerboardEngine(State state, const Physics& physics, uint64_t seed,
                                       const CheckerboardSettings& settings, int max_act, int device,
                                       const BoardKernels& kernels, Numbers numbers, const Model* living)
    : device_(device),
      stream_(device_),
      plan_(state.lattice, settings, seed),
      state_(device_, ready_for(std::move(state), kernels), physics.adhesion.types,
             kernels.specialised ? max_act : std::max(1, max_act), room_of(living)),
      tick_(state_, CentroidSums::kept),
      physics_(physics),
      living_(living_stage_of(living, physics, device_, stream_, state_, tick_,
                              {[](const ChangedSite*, int64_t) {}, [this] { use_new_rows(); }})),
      survey_(device_, stream_, state_, physics),
      kernels_(kernels),
      numbers_(kernels.specialised ? numbers : Numbers::all_terms),
      shape_(board_shape(physics, settings, state_.layout(), kernels)),
      may_meet_(attempts_may_meet(physics, settings)),
      counters_(device_, kCounters, "the counters") {
  compile(physics);
  counters_.fill(0);
  span_.counters = counters_.data();
  make_locks();
  if (plan_.replays()) {
    taken_ = Buffer<uint32_t>(device_, plan_.block_count(), "the blocks");
    span_.taken = taken_.data();
  }
  span_.turns = plan_.turns();
  span_.block_count = plan_.block_count();
  span_.blocks = plan_.blocks();
}

void CheckerboardEngine::set_physics(const Physics& physics) {
  device_.synchronize();
  if (numbers_ == Numbers::folded) numbers_ = Numbers::in_memory;
  compile(physics);
}

void CheckerboardEngine::make_locks() {
  if (!plan_.settings().mutex) return;
  locks_ = Buffer<uint64_t>(device_, state_.rows(), "the cells");
  locks_.fill(0xFF);
  span_.locks = locks_.data();
}

// Cells that come found no room, so all of them were numbered anew.
void CheckerboardEngine::use_new_rows() {
  make_locks();
  survey_.use_layout(physics_);
  compile(physics_);
}

void CheckerboardEngine::compile(const Physics& physics) {
  physics_ = physics;
  const std::string source = checkerboard_source(physics, plan_.settings(), state_.layout(),
                                                 state_.history_length(), kernels_, numbers_);
  const Module module(device_,
                      compile_cached(source, "checkerboard.cu", architecture_for(device_.info())).cubin);
  play_region_ = module.function("play_region");
  if (may_meet_) {
    forget_perimeters_ = module.function("forget_perimeters");
    count_perimeters_ = module.function("count_perimeters");
  }
  state_.use(module);
  tick_.use(module);
  fields_.give(device_, module, physics);
  if (living_ != nullptr) living_->give(module, physics);
  if (kernels_.skipping) return give_numbers(module, physics, numbers_);
  Physics all = physics;
  const std::vector<TypePhysics> types = with_all_terms(physics, all.uses);
  all.types.first = types.data();
  give_numbers(module, all, numbers_);
}

void CheckerboardEngine::advance(int64_t mcs) {
  for (int64_t done = 0; done < mcs; ++done) {
    tick_.begin(1, stream_);
    play_mcs();
    if (may_meet_) recount_perimeters();
    tick_.finish(1, stream_);
  }
  if (living_ != nullptr) living_->require_success();
  device_.synchronize();
}

void CheckerboardEngine::play_mcs() {
  const unsigned threads = unsigned(shape_.threads), grid = (span_.block_count + threads - 1) / threads;
  const uint64_t first = uint64_t(state_.mcs()) * plan_.steps_per_mcs(), end = first + plan_.steps_per_mcs();
  span_.clock = uint32_t(state_.mcs());
  if (plan_.replays()) {
    taken_.fill(0, &stream_);
    span_.call = plan_.call_of(first);
  }
  for (uint64_t step = first; step < end; step += span_.steps) {
    span_.first_step = step;
    span_.first_drawn = plan_.drawn_as(step);
    span_.region = plan_.active_region(step);
    span_.steps = uint32_t(steps_per_launch(plan_, step));
    play_region_.launch({{grid}, {threads}}, stream_, state_.tables(), span_);
  }
}

void CheckerboardEngine::recount_perimeters() {
  forget_perimeters_.launch(state_.grid_stride(), stream_, state_.tables());
  count_perimeters_.launch(state_.grid_stride(), stream_, state_.tables());
}

AttemptCounts CheckerboardEngine::counts() const {
  std::vector<BoardCounter> all(kCounters);
  counters_.download(all.data(), kCounters);
  AttemptCounts sum;
  for (const BoardCounter& c : all) {
    sum.attempts += int64_t(c.attempts);
    sum.live += int64_t(c.live);
    sum.accepted += int64_t(c.accepted);
  }
  return sum;
}

}  // namespace kiln::cuda
