// The `checkerboard` schedule on a processor's cores: between two barriers the blocks make their attempts one
// after the other, in raster order. What needs only the surroundings of a target is worked out by all threads
// at once; the sizes of cells are then settled by one. So the result does not depend on the number of
// threads. Where a block makes several attempts between two barriers, or attempts may see each other's
// targets, one thread plays all of it.
#pragma once

#include <vector>

#include "engine/engine.hpp"
#include "engine/host/attempt.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/schedule/checkerboard_plan.hpp"

namespace kiln {

template <int Dim>
class CheckerboardEngine : public Engine {
 public:
  // `living`: the model, where its cells do something by themselves.
  CheckerboardEngine(State state, const Physics& physics, uint64_t seed, const CheckerboardSettings& settings,
                     int threads, const Model* living = nullptr);

  void set_physics(const Physics& physics) override { physics_ = physics; }
  void advance(int64_t mcs) override;
  const State& state() override { return state_; }
  AttemptCounts counts() const override;
  std::string name() const override { return "threads"; }
  int threads() const override { return team_.members(); }
  std::string schedule() const override { return "checkerboard"; }
  std::string settings() const override { return plan_.describe(); }

 private:
  // A live attempt of the current step.
  struct Open : OpenCopy {
    float act;  // its part of dH
  };

  // Data of one thread.
  struct alignas(64) Member {
    uint32_t first_block = 0, last_block = 0;  // its share: first to last - 1
    std::vector<Open> open;                    // in raster order
    int64_t attempts = 0, live = 0;
  };

  // With a physics as narrow as the model allows (engine/host/narrow_physics.hpp).
  template <class Physics>
  void play_mcs(const Physics& physics, int member);
  template <class Physics>
  void play_step(const Physics& physics, int member, uint64_t step);
  template <class Physics>
  void play_block_by_block(const Physics& physics, uint64_t first, uint64_t steps);
  template <class Physics>
  void judge_blocks(const Physics& physics, Member& me, uint64_t step);
  // `place` is the site that was drawn.
  template <class Physics>
  void judge(const Physics& physics, Member& me, Vec3i place, const checkerboard::Attempt& attempt);
  template <class Physics>
  float act_delta(const Physics& physics, const HostWorld<Dim>& world, const Copy& copy) const;
  // `barrier` names the last time that all blocks waited: by the first step after it.
  template <class Physics>
  void settle(const Physics& physics, Member& me, uint64_t barrier);
  template <class Physics>
  void settle(const Physics& physics, const Open& attempt, uint64_t barrier);
  void fit_to_cells();
  bool is_locked(CellId cell, uint64_t barrier) const;
  uint64_t next_number(uint64_t step);  // of the block that plays, where random numbers are replayed

  State state_;
  Physics physics_;
  uint64_t seed_;
  checkerboard::Plan plan_;
  bool in_sequence_;  // an attempt is settled before the next is judged
  StateReader<Dim> reader_;
  Team team_;
  std::unique_ptr<LivingStage> living_;
  BetweenMcs between_mcs_;
  std::vector<Member> members_;
  std::vector<uint64_t> locked_at_;  // per cell, with mutex: the barrier after which it changed last
  std::vector<uint32_t> taken_;      // by each block in this MCS, where random numbers are replayed
  uint32_t playing_ = 0;             // the block that takes them
  int64_t accepted_ = 0;
};

}  // namespace kiln
