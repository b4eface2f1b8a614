// Volume. H = lambda (V - Vt)^2 for every cell, V its number of sites. The medium has none.
#pragma once

#include "terms/term.hpp"

namespace kiln::volume {

struct Params {
  float target = 0;
  float lambda = 0;
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

struct Term : TermDefaults {
  static constexpr const char* kName = "volume";
  static constexpr const char* kSummary = "holds a cell at its target volume";
  using Params = volume::Params;
  static constexpr Parameter kParameters[] = {
      {"target", Kind::target, 0, 1e7, 0, true, "sites", "volume at which the energy is zero, Vt"},
      {"lambda", Kind::real, 0, kAnyEnergy, 1, false, "energy/sites^2", "stiffness"},
  };
  struct Slot {
    Params volume;
  };
  struct Use {
    bool volume = false;
  };
  static constexpr auto kParams = &Slot::volume;
  static constexpr auto kUse = &Use::volume;
  static constexpr TermScope kScope = TermScope::cells;
  static constexpr bool acts(const Params& p) { return p.lambda != 0; }

  template <class Cell>
  KILN_HOT static float delta(const Params& p, const Cell& cell, const SiteChange& change) {
    return volume::delta({cell.target_volume(p.target), p.lambda}, cell.volume(), change.sign);
  }
  template <class Cell>
  static double energy(const Params& p, const Cell& cell) {
    return volume::energy({cell.target_volume(p.target), p.lambda}, cell.volume());
  }
  template <class Type>
  static double weight_of_a_site(const Type& type, const SurroundingsShape&) {
    return 2.0 * double(type.volume.lambda);
  }
};

}  // namespace kiln::volume
