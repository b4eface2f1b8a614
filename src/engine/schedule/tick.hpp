// The tick: what happens between two MCS, as a list of stages. Every engine plays it through play_tick, so
// that the order, which is part of the bits, is written down once. Read by both compilers.
#pragma once

#include "core/lattice.hpp"

namespace kiln {

// How often anchors are checked (move_anchor): rarely, for that may take a look at the whole lattice; often
// enough for a short box. 0: never, for nothing drifts where no axis is periodic.
KILN_HD constexpr int64_t mcs_between_anchor_checks(const Lattice& lattice) {
  int32_t shortest = 4096;
  bool drifts = false;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    if (!lattice.periodic[axis]) continue;
    drifts = true;
    if (lattice.size[axis] < shortest) shortest = lattice.size[axis];
  }
  if (!drifts) return 0;
  return shortest / 16 > 1 ? shortest / 16 : 1;
}

// Which stages a model asks for.
struct Tick {
  int64_t anchor_every = 0;  // MCS; 0: never
  bool turns = false;        // persistent cells
  bool counts = false;       // centroid sums are counted when a stage needs them, not kept copy by copy
  bool lives = false;        // substances spread; cells have equations, growth or rules

  KILN_HD constexpr bool checks_anchors(int64_t mcs) const {
    return anchor_every > 0 && mcs % anchor_every == 0;
  }
  // How many MCS from `mcs` on have no stage at their end but the last.
  KILN_HD constexpr int64_t span_from(int64_t mcs, int64_t at_most) const {
    if (turns || lives) return 1;
    if (anchor_every == 0) return at_most;
    const int64_t left = anchor_every - mcs % anchor_every;
    return left < at_most ? left : at_most;
  }
};

// The end of MCS number `mcs`. Stages is how an engine plays each of them.
template <class Stages>
KILN_HD void play_tick(const Tick& tick, int64_t mcs, Stages& stages) {
  stages.age_act();
  if constexpr (requires { stages.live(mcs); })
    if (tick.lives) stages.live(mcs);
  const bool anchors = tick.checks_anchors(mcs);
  if (tick.counts && (anchors || tick.turns)) stages.count_sums();
  if (anchors) stages.move_anchors();
  if (tick.turns) stages.turn_cells(mcs);
}

}  // namespace kiln
