// The `tiles` schedule on one GPU. It gives the same bits as ThreadsEngine.
#pragma once

#include "engine/cuda/between/tick.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/living/living_stage.hpp"
#include "engine/cuda/model_source.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/cuda/state/field_values.hpp"
#include "engine/cuda/survey/survey.hpp"
#include "engine/cuda/tiles/memory.hpp"
#include "engine/engine.hpp"

namespace kiln::cuda {

class TilesEngine : public Engine {
 public:
  // `max_act` is the largest Act value that any phase can set; `living` the model, where something happens
  // between two MCS beside motion.
  TilesEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
              int max_act, int device, Numbers numbers = Numbers::folded, const Model* living = nullptr);

  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state() override { return state_.fetch(stream_); }
  const State& state_of_cells() override { return state_.fetch_cells(stream_); }
  const State& state_of_sizes() override { return state_.fetch_sizes(stream_); }
  const State& outline() override { return state_.outline(); }
  std::function<void()> begin_copy(State& to) override { return state_.begin_copy(to, stream_); }
  LatticeSurvey* survey() override { return &survey_; }
  std::optional<DeviceIds> device_ids() override { return state_.plain_ids(stream_); }
  AttemptCounts counts() const override { return memory_.counts()[0]; }
  std::string name() const override { return "cuda"; }
  std::string gpu() const override { return device_.info().name; }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, state_.lattice().dimension); }

 private:
  void compile(const Physics& physics);
  void find_live();
  void mark_live(const ChangedSite* changed, int64_t count);
  void use_new_rows();

  tiles::Settings settings_;
  Numbers numbers_;
  Device device_;
  Stream stream_;
  DeviceState state_;
  DeviceTick tick_;
  FieldValues fields_;
  Physics physics_;
  std::unique_ptr<DeviceLivingStage> living_;
  Survey survey_;
  tiles::Clock clock_;
  Function play_, find_live_, mark_live_;
  Launch shape_;
  TilesMemory memory_;
  TilesTables tables_{};
};

}  // namespace kiln::cuda
