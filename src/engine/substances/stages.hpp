// How a substance is advanced by a time: explicit steps, or, where these would be many, supersteps of the
// damped first-order Chebyshev scheme (Verwer's RKC1), which is stable over s^2 times the explicit step in s
// stages, conserves what there is, and has the steady state of the equation.
#pragma once

#include <vector>

#include "engine/substances/stencil.hpp"
#include "model/substance_steps.hpp"

namespace kiln::substances {

struct Stages {
  std::vector<Stage> stages;  // of one step
  int steps = 1;              // how often they are played
};

// For `seconds`. Concentrations stay positive, but near a point release at more than 100 D/h^2.
Stages stages_for(const Rates& rates, double seconds);

// Sweeps that bring a field to its steady state, up to `error` of how far it was from it, where `slowest` is
// the least rate at which a disturbance vanishes: Chebyshev's semi-iteration.
Stages sweeps_for(const Rates& rates, double slowest, double error);

}  // namespace kiln::substances
