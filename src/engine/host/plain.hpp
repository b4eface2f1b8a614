// The textbook loop: one attempt after another, nothing clever. The oracle of the tests and the yardstick of
// the benchmarks. With the same draws as the fast serial engine where that does not jump.
#pragma once

#include "core/state.hpp"
#include "engine/engine.hpp"

namespace kiln {

// Runs one MCS on the state.
void plain_mcs(State& state, const Physics& physics, uint64_t seed, AttemptCounts& counts);

}  // namespace kiln
