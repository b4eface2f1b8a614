// The `checkerboard` schedule on one GPU. Two runs are not alike: the order of atomics decides.
#pragma once

#include "engine/cuda/between/tick.hpp"
#include "engine/cuda/checkerboard/data.hpp"
#include "engine/cuda/checkerboard/source.hpp"
#include "engine/cuda/living/living_stage.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/cuda/state/field_values.hpp"
#include "engine/cuda/survey/survey.hpp"
#include "engine/engine.hpp"
#include "engine/schedule/checkerboard_plan.hpp"

namespace kiln::cuda {

class CheckerboardEngine : public Engine {
 public:
  // `max_act` is the largest Act value that any phase can set; `living` the model, where something happens
  // between two MCS beside motion.
  CheckerboardEngine(State state, const Physics& physics, uint64_t seed, const CheckerboardSettings& settings,
                     int max_act, int device, const BoardKernels& kernels = {},
                     Numbers numbers = Numbers::folded, const Model* living = nullptr);

  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state() override { return state_.fetch(stream_); }
  const State& state_of_cells() override { return state_.fetch_cells(stream_); }
  const State& state_of_sizes() override { return state_.fetch_sizes(stream_); }
  const State& outline() override { return state_.outline(); }
  std::function<void()> begin_copy(State& to) override { return state_.begin_copy(to, stream_); }
  LatticeSurvey* survey() override { return &survey_; }
  std::optional<DeviceIds> device_ids() override { return state_.plain_ids(stream_); }
  AttemptCounts counts() const override;
  std::string name() const override { return "cuda"; }
  std::string gpu() const override { return device_.info().name; }
  std::string schedule() const override { return "checkerboard"; }
  std::string settings() const override { return plan_.describe(); }

 private:
  void compile(const Physics& physics);
  void make_locks();
  void use_new_rows();
  void play_mcs();
  void recount_perimeters();

  Device device_;
  Stream stream_;
  checkerboard::Plan plan_;
  DeviceState state_;
  DeviceTick tick_;
  FieldValues fields_;
  Physics physics_;
  std::unique_ptr<DeviceLivingStage> living_;
  Survey survey_;
  BoardKernels kernels_;
  Numbers numbers_;
  BoardShape shape_;
  bool may_meet_;
  Function play_region_, forget_perimeters_, count_perimeters_;
  Buffer<BoardCounter> counters_;
  Buffer<uint64_t> locks_;
  Buffer<uint32_t> taken_;
  BoardSpan span_{};
};

}  // namespace kiln::cuda
