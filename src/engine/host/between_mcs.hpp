// The tick on a processor: the stages of engine/schedule/tick.hpp, played by a team of threads.
#pragma once

#include <atomic>
#include <functional>
#include <vector>

#include "core/state.hpp"
#include "engine/host/team.hpp"
#include "engine/living/living_stage.hpp"
#include "engine/schedule/tick.hpp"
#include "engine/site_frame.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

// The tick by one thread.
void finish_mcs(State& state, const Physics& physics, LivingStage* living = nullptr);

// The tick by a team: all its members call it.
class BetweenMcs {
 public:
  // By cell: whether its anchor was moved, so that its sums are to be counted.
  using Moved = std::vector<uint8_t>;
  // Where others count sites as well, `unite` adds theirs to the sums of cells that were moved; it is called
  // by one member whenever anchors are looked at.
  using Unite = std::function<void(const Moved&)>;

  // `living` where cells do something by themselves: for as many members as the team has.
  BetweenMcs(Team& team, const SiteFrame& frame, Unite unite = {}, LivingStage* living = nullptr)
      : team_(team), frame_(frame), unite_(std::move(unite)), living_(living) {}
  void finish_mcs(State& state, const Physics& physics, int member);

 private:
  struct Stages;
  void move_anchors(State& state, int member);

  Team& team_;
  SiteFrame frame_;
  Unite unite_;
  LivingStage* living_;
  Moved moved_;
  std::atomic<bool> any_moved_ = false;
};

}  // namespace kiln
