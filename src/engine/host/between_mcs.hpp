// The tick on a processor: the stages of engine/schedule/tick.hpp, played by a team of threads.
#pragma once

#include <atomic>
#include <vector>

#include "core/state.hpp"
#include "engine/host/team.hpp"
#include "engine/schedule/tick.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln {

// The tick by one thread.
void finish_mcs(State& state, const Physics& physics);

// The tick by a team: all its members call it.
class BetweenMcs {
 public:
  explicit BetweenMcs(Team& team) : team_(team) {}
  void finish_mcs(State& state, const Physics& physics, int member);

 private:
  struct Stages;
  void move_anchors(State& state, int member);

  Team& team_;
  std::vector<uint8_t> moved_;  // per cell: whether its anchor was moved, so that its sums are to be counted
  std::atomic<bool> any_moved_ = false;
};

}  // namespace kiln
