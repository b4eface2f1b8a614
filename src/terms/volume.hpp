// Volume. H = lambda (V - Vt)^2 for every cell, V its number of sites. The medium has none.
#pragma once

#include "terms/parameter.hpp"

namespace kiln::volume {

inline constexpr const char* kName = "volume";
inline constexpr const char* kSummary = "holds a cell at its target volume";

struct Params {
  float target = 0;
  float lambda = 0;
};

inline constexpr Parameter kParameters[] = {
    {"target", Kind::real, 0, 1e7, 0, true, "sites", "volume at which the energy is zero, Vt"},
    {"lambda", Kind::real, 0, kAnyEnergy, 1, false, "energy/sites^2", "stiffness"},
};

KILN_HD inline double energy(const Params& p, int32_t volume) {
  const double off = double(volume) - double(p.target);
  return double(p.lambda) * off * off;
}

// The change of energy when a cell of this volume gains (+1) or loses (-1) a site:
// (V + c - Vt)^2 - (V - Vt)^2 = 2 c (V - Vt) + 1.
KILN_HD inline float delta(const Params& p, int32_t volume, int change) {
  return p.lambda * (float(2 * change) * (float(volume) - p.target) + 1.0f);
}

}  // namespace kiln::volume
