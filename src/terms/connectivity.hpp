// Connectivity. A copy that would locally tear the losing cell apart is punished or forbidden: the cell's
// sites among the target's Moore neighbours are grouped into components (Moore adjacency among themselves);
// more than one means that the target was the bridge between them. A local rule: it may also forbid closing a
// ring.
#pragma once

#include "terms/neighbours.hpp"
#include "terms/term.hpp"

namespace kiln::connectivity {

struct Params {
  float penalty = 0;
  float hard = 0;
};

namespace detail {
// For every place of the 3x3(x3) block, in raster order, the places that touch it, as a bit mask.
struct Adjacency {
  uint32_t mask[27] = {};
};
KILN_HD constexpr Adjacency make_adjacency() {
  Adjacency result;
  for (int a = 0; a < 27; ++a)
    for (int b = 0; b < 27; ++b) {
      const int dx = a % 3 - b % 3, dy = (a / 3) % 3 - (b / 3) % 3, dz = a / 9 - b / 9;
      const bool touch = dx * dx <= 1 && dy * dy <= 1 && dz * dz <= 1 && a != b;
      if (touch) result.mask[a] |= uint32_t(1) << b;
    }
  return result;
}
}  // namespace detail

// The number of components of the cell's sites among the neighbours of a site.
template <int Dim>
KILN_HD inline int components(const Patch<Dim>& neighbours, CellId cell) {
  constexpr detail::Adjacency kAdjacent = detail::make_adjacency();
  uint32_t left = 0;
  for (int block = 0; block < 3 * Patch<Dim>::kRows; ++block)
    if (neighbours.id(4 * (block / 3) + block % 3) == cell) left |= uint32_t(1) << block;
  int found = 0;
  while (left != 0) {
    uint32_t front = left & (~left + 1);  // the lowest place not yet reached starts a component
    left &= ~front;
    while (front != 0) {
      uint32_t reached = 0;
      for (int block = 0; block < 3 * Patch<Dim>::kRows; ++block)
        if (front >> block & 1) reached |= kAdjacent.mask[block];
      front = reached & left;
      left &= ~front;
    }
    ++found;
  }
  return found;
}

// True where the copy would split the cell that loses the site.
template <int Dim>
KILN_HD inline bool splits(const Patch<Dim>& neighbours, CellId loser) {
  return loser != kMedium && components<Dim>(neighbours, loser) > 1;
}

struct Term : TermDefaults {
  static constexpr const char* kName = "connectivity";
  static constexpr const char* kSummary = "keeps a cell in one piece";
  using Params = connectivity::Params;
  static constexpr Parameter kParameters[] = {
      {"penalty", Kind::real, 0, kAnyEnergy, 0, false, "energy",
       "cost of a copy that locally splits the cell"},
      {"hard", Kind::flag, 0, 1, 0, false, "", "such copies never happen, whatever the energy"},
  };
  struct Slot {
    Params connectivity;
  };
  struct Use {
    bool connectivity = false;
  };
  static constexpr auto kParams = &Slot::connectivity;
  static constexpr auto kUse = &Use::connectivity;
  static constexpr TermScope kScope = TermScope::local;
  static constexpr bool acts(const Params& p) { return p.penalty != 0 || p.hard != 0; }

  template <int Dim, class Physics, class World>
  KILN_HOT static bool add(const Physics& physics, World& world, const Copy& copy, float& dh) {
    const Params& rule = physics.types[copy.loser_type].connectivity;
    if (!acts(rule) || !splits<Dim>(world.around_target(), copy.loser)) return true;
    if (rule.hard != 0) return false;
    dh += rule.penalty;
    return true;
  }
};

}  // namespace kiln::connectivity
