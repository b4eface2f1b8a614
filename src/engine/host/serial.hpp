// The serial schedule, fast: the same chain as the textbook loop. Two things make it quick. Draws do not
// depend on the state, so they are made in batches and the memory they point at is fetched ahead. And where
// little can happen (much empty medium, large cells), attempts in dead blocks are jumped over: their number
// between two others is geometric.
#pragma once

#include "engine/engine.hpp"
#include "engine/host/live_blocks.hpp"
#include "engine/living/living_stage.hpp"

namespace kiln {

enum class Jumping { automatic, never, always };

template <int Dim>
class SerialEngine final : public Engine {
 public:
  SerialEngine(State state, const Physics& physics, uint64_t seed, Jumping jumping = Jumping::automatic,
               std::unique_ptr<LivingStage> living = nullptr);

  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state() override { return state_; }
  AttemptCounts counts() const override { return counts_; }
  std::string name() const override { return "serial"; }
  std::string schedule() const override { return "serial"; }

 private:
  bool worth_jumping() const;
  // With a physics as narrow as the model allows (engine/host/narrow_physics.hpp).
  template <class Physics>
  void try_every_site(const Physics& physics);
  template <class Physics>
  void try_live_blocks(const Physics& physics);

  State state_;
  Physics physics_;
  uint64_t seed_;
  Jumping jumping_;
  std::vector<bool> frozen_types_;
  LiveBlocks<Dim> blocks_;
  bool blocks_are_current_ = false;
  std::unique_ptr<LivingStage> living_;
  AttemptCounts counts_;
};

}  // namespace kiln
