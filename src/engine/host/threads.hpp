// The `tiles` schedule on a processor's cores. The result does not depend on how many of them there are.
#pragma once

#include "engine/host/tiles_player.hpp"

namespace kiln {

template <int Dim>
class ThreadsEngine : public Engine {
 public:
  ThreadsEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                int threads, std::unique_ptr<LivingStage> living = nullptr);

  void set_physics(const Physics& physics) override { physics_ = physics; }
  void advance(int64_t mcs) override { player_.advance(physics_, mcs); }
  const State& state() override { return state_; }
  AttemptCounts counts() const override { return player_.counts(); }
  std::string name() const override { return "threads"; }
  int threads() const override { return player_.threads(); }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, Dim); }

 private:
  State state_;
  Physics physics_;
  tiles::Settings settings_;
  WholeLattice whole_;
  TilesPlayer<Dim, WholeLattice> player_;
};

}  // namespace kiln
