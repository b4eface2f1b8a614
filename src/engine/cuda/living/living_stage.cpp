#include "engine/cuda/living/living_stage.hpp"

namespace kiln::cuda {

DeviceLivingStage::DeviceLivingStage(const Device& device, const Stream& stream, const Model& model,
                                     const Physics& physics, DeviceState& state, LivingHooks hooks)
    : state_(state), physics_(physics) {
  if (!model.substances.empty())
    substances_ = std::make_unique<DeviceSubstances>(device, stream, model, physics, state);
  if (model.living == nullptr) return;
  hooks.rows_changed = [this, next = hooks.rows_changed] {
    if (substances_ != nullptr) substances_->use_layout(physics_, state_);
    next();
  };
  cells_ = std::make_unique<DeviceCells>(device, stream, model, physics, state, std::move(hooks));
}

void DeviceLivingStage::give(const Module& module, const Physics& physics) {
  physics_ = physics;
  if (cells_ != nullptr) cells_->set_physics(physics);
  if (substances_ != nullptr) substances_->give(module, physics);
}

void DeviceLivingStage::play(int64_t mcs) {
  if (cells_ != nullptr) cells_->count(mcs, substances_.get());
  if (substances_ != nullptr)
    substances_->play(mcs, state_.tables(), [&](std::size_t substance) {
      return cells_ != nullptr ? cells_->secretion(substance, mcs) : nullptr;
    });
  if (cells_ != nullptr) cells_->play(mcs);
}

void DeviceLivingStage::fetch(State& state, DeviceState::More more) const {
  if (substances_ != nullptr) substances_->fetch(state, more);
}

void DeviceLivingStage::require_success() {
  if (cells_ != nullptr) cells_->require_success();
  if (substances_ != nullptr) substances_->require_success();
}

std::unique_ptr<DeviceLivingStage> living_stage_of(const Model* model, const Physics& physics,
                                                   const Device& device, const Stream& stream,
                                                   DeviceState& state, DeviceTick& tick, LivingHooks hooks) {
  if (model == nullptr || !model->has_stages()) return nullptr;
  auto result = std::make_unique<DeviceLivingStage>(device, stream, *model, physics, state, std::move(hooks));
  tick.live_with([all = result.get()](int64_t mcs) { all->play(mcs); });
  if (!model->substances.empty())
    state.fetch_more_with([all = result.get()](State& to, DeviceState::More more) { all->fetch(to, more); });
  return result;
}

}  // namespace kiln::cuda
