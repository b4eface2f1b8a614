// What happens between two MCS beside motion, on a GPU: the bits of LivingStage on threads.
#pragma once

#include <memory>

#include "engine/cuda/living/cells.hpp"
#include "engine/cuda/substances/substances.hpp"

namespace kiln::cuda {

class DeviceLivingStage {
 public:
  DeviceLivingStage(const Device& device, const Stream& stream, const Model& model, const Physics& physics,
                    DeviceState& state, LivingHooks hooks);

  // Points a module that was compiled for this physics at what copy attempts read.
  void give(const Module& module, const Physics& physics);
  // The end of MCS number `mcs`.
  void play(int64_t mcs);
  // Substances of a state on the host.
  void fetch(State& state, DeviceState::More more) const;
  // When some MCS have been played. Throws UserError where a formula had no number, or there is more of
  // a substance than is computed with.
  void require_success();

 private:
  DeviceState& state_;
  Physics physics_;  // the last that was given
  std::unique_ptr<DeviceSubstances> substances_;
  std::unique_ptr<DeviceCells> cells_;
};

// That of a model, if it has any, as a part of the tick and of the state; else nullptr.
std::unique_ptr<DeviceLivingStage> living_stage_of(const Model* model, const Physics& physics,
                                                   const Device& device, const Stream& stream,
                                                   DeviceState& state, DeviceTick& tick, LivingHooks hooks);

}  // namespace kiln::cuda
