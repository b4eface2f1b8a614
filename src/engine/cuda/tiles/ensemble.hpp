// Many simulations at once on one GPU, with the `tiles` schedule: each has the bits of TilesEngine.
#pragma once

#include "engine/cuda/model_source.hpp"
#include "engine/cuda/state/device_state.hpp"
#include "engine/cuda/state/field_values.hpp"
#include "engine/cuda/tiles/memory.hpp"
#include "engine/ensemble.hpp"

namespace kiln::cuda {

class TilesEnsemble : public Ensemble {
 public:
  // `max_act` is the largest Act value that any phase can set.
  TilesEnsemble(std::vector<State> states, const Physics& physics, const std::vector<uint64_t>& seeds,
                const tiles::Settings& settings, int max_act, int device, Numbers numbers);

  int64_t size() const override { return state_.size(); }
  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state(int64_t member) override { return state_.fetch(stream_, member); }
  void visit(const Visitor& look) override { state_.visit(stream_, look); }
  std::vector<AttemptCounts> counts() const override { return memory_.counts(); }
  std::string name() const override { return "cuda"; }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, state_.lattice().dimension); }
  std::string gpu() const override { return device_.info().name; }

 private:
  void compile(const Physics& physics);
  void write_tables();
  void find_live();
  void launch(int64_t mcs);
  Launch block_per_member() const;

  tiles::Settings settings_;
  Numbers numbers_;
  std::vector<uint64_t> seeds_;
  Device device_;
  Stream stream_;
  DeviceState state_;
  FieldValues fields_;
  tiles::Clock clock_;
  Function play_, count_sums_, find_live_;
  Launch shape_;
  TilesMemory memory_;
  Buffer<TilesTables> tables_;  // one per member
  int64_t refreshed_at_;        // MCS
};

}  // namespace kiln::cuda
