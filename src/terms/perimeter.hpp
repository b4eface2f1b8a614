// Perimeter. H = lambda (A - At)^2 for every cell; A counts the (site of the cell, neighbour not of the cell)
// pairs in the perimeter neighbourhood (Moore unless the model says otherwise). Places beyond a closed wall
// do not count. The medium has none. (Ouchi et al. 2003.)
#pragma once

#include "terms/term.hpp"

namespace kiln::perimeter {

struct Params {
  float target = 0;
  float lambda = 0;
};

// How A changes when a cell takes a site that has `present` neighbours, `same` of them its own: the site
// brings present - same pairs, and its own neighbours lose `same` pairs that pointed at it. Losing a site is
// the reverse.
KILN_HD inline int32_t change_on_gain(int present, int same) { return present - 2 * same; }
KILN_HD inline int32_t change_on_loss(int present, int same) { return 2 * same - present; }

KILN_HD inline double energy(const Params& p, int32_t perimeter) {
  const double off = double(perimeter) - double(p.target);
  return double(p.lambda) * off * off;
}

// (A + c - At)^2 - (A - At)^2 = c (2 (A - At) + c).
KILN_HD inline float delta(const Params& p, int32_t perimeter, int32_t change) {
  return p.lambda * (float(change) * (2.0f * (float(perimeter) - p.target) + float(change)));
}

struct Term : TermDefaults {
  static constexpr const char* kName = "perimeter";
  static constexpr const char* kSummary = "holds a cell at its target perimeter (surface area in 3-D)";
  using Params = perimeter::Params;
  static constexpr Parameter kParameters[] = {
      {"target", Kind::target, 0, 1e8, 0, true, "pairs", "perimeter at which the energy is zero, At"},
      {"lambda", Kind::real, 0, kAnyEnergy, 1, false, "energy/pairs^2", "stiffness"},
  };
  struct Slot {
    Params perimeter;
  };
  struct Use {
    bool perimeter = false;
  };
  static constexpr auto kParams = &Slot::perimeter;
  static constexpr auto kUse = &Use::perimeter;
  static constexpr TermScope kScope = TermScope::cells;
  static constexpr bool acts(const Params& p) { return p.lambda != 0; }

  template <class Cell>
  KILN_HOT static float delta(const Params& p, const Cell& cell, const SiteChange& change) {
    return perimeter::delta({cell.target_perimeter(p.target), p.lambda}, cell.perimeter(), change.perimeter);
  }
  template <class Cell>
  static double energy(const Params& p, const Cell& cell) {
    return perimeter::energy({cell.target_perimeter(p.target), p.lambda}, cell.perimeter());
  }
  template <class Type>
  static double weight_of_a_site(const Type& type, const SurroundingsShape& shape) {
    const double typical_change = 0.4 * shape.perimeter_neighbours;  // of a perimeter, by one copy
    return 2.0 * double(type.perimeter.lambda) * typical_change * typical_change;
  }
};

}  // namespace kiln::perimeter
