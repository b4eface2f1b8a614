// How many steps a substance takes: what a model is checked by, and what its advance follows
// (engine/substances/stages.hpp).
#pragma once

#include <cstdint>

#include "core/lattice.hpp"
#include "model/substances.hpp"

namespace kiln::substances {

// How fast a substance can change, per second.
struct Rates {
  int dimension = 3;
  double exchange = 0;  // D/h^2: with each neighbour
  double loss = 0;      // decay and uptake, at most

  double fastest() const { return 4.0 * dimension * exchange + loss; }
};

// Counts are whole; they may be larger than any integer, or infinite, where numbers are absurd.
struct StepCount {
  double steps = 1;   // how often the stages are played
  double stages = 1;  // of a step
  bool chebyshev = false;

  double total() const { return steps * stages; }
};

// Explicit steps; where these would be many, four supersteps of a damped Chebyshev scheme.
StepCount steps_for(const Rates& rates, double seconds);
inline constexpr double kDamping = 3;  // of the scheme

// Sweeps that bring a field to its steady state, up to `error` of how far it was from it, where `slowest` is
// the least rate at which a disturbance vanishes.
double sweep_count(const Rates& rates, double slowest, double error);
inline constexpr double kSteadyError = 1e-6;  // of the distance to the steady state before

// The least rate at which a disturbance vanishes: by decay, and through walls with a concentration. Around
// obstacles the way to those may be of any length. 0 where none is known.
double slowest_rate(const Lattice& voxels, const Properties& like, double exchange, bool has_obstacles);

// Of an update, which takes place every data.update_every MCS. `edge` of a voxel in um.
double steps_of_update(const SubstanceData& data, double edge, double seconds_per_mcs);
Rates rates_of(const SubstanceData& data, double edge);

// More would take minutes for an MCS of 10^4 voxels, and the recurrence of a superstep loses digits with the
// square of its stages: with a quarter of these, 11 of 16.
inline constexpr double kMostSteps = 1e6;

}  // namespace kiln::substances
