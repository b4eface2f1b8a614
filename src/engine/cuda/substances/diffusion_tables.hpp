// What kernels know of a substance. Read by both compilers.
#pragma once

#include "core/concentration.hpp"
#include "engine/substances/stencil.hpp"

namespace kiln::cuda {

inline constexpr int kMostUptakes = 8;  // types of cells that take a substance up
inline constexpr int kRowSums = 5;      // of a row: see diffuse
inline constexpr int kAccounts = 5;     // of a budget, in the order of SubstanceBudget
// Behind them: what there is; the first MCS after which that was too much (0: none), and what it was then.
inline constexpr int kTotal = kAccounts, kOverflowMcs = kTotal + 1, kOverflow = kTotal + 2,
                     kBooks = kTotal + 3;

enum class SideKind { closed, value, flux };

// Beside what is compiled in: diffusion_source.
struct DiffusionTables {
  double exchange, decay;
  // Low and high along x, y, z.
  substances::Ghost ghosts[6];
  double inflow[6];
  const void* secretion;            // form::Secretion; nullptr: none
  double secretion_rate;            // where these are shares of it
  const void* share[kMostUptakes];  // form::Share
  double rate[kMostUptakes], at_most[kMostUptakes];
  const uint8_t* held;   // nullptr: nowhere
  const double* volume;  // nullptr: no obstacles
  const double* low[3];
};

}  // namespace kiln::cuda
