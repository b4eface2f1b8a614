// What a term sees of a site's surroundings.
//
// Terms loop over "neighbours": anything with lanes() and id(lane), where a lane beyond a closed wall, or one
// that only pads, holds kNowhere. The padding lets the host compiler use vector instructions.
#pragma once

#include "core/neighbourhood.hpp"
#include "core/types.hpp"

namespace kiln {

// The Moore neighbours in rows of four: three neighbours along x and one lane of padding. The centre is not
// its own neighbour and holds kNowhere.
template <int Dim>
struct Patch {
  static constexpr int kRows = Dim == 2 ? 3 : 9;
  static constexpr int kLanes = 4 * kRows;
  static constexpr int kCentre = 4 * (kRows / 2) + 1;

  alignas(16) CellId ids[kLanes];

  KILN_HD static constexpr int lanes() { return kLanes; }
  KILN_HD CellId id(int lane) const { return ids[lane]; }
  KILN_HD static constexpr int lane_of(int direction) {
    const int block = direction + (direction >= Moore<Dim>::kCount / 2 ? 1 : 0);
    return 4 * (block / 3) + block % 3;
  }
};

// The neighbours of an order other than Moore's.
struct FarPatch {
  int count = 0;
  alignas(16) CellId ids[kMaxNeighbours];

  KILN_HD int lanes() const { return count; }
  KILN_HD CellId id(int lane) const { return ids[lane]; }
};

// How many neighbours a site has, and how many of them are the two cells'. Adhesion and perimeter work from
// it.
struct Tally {
  int present = 0;  // neighbours inside the lattice
  int winners = 0;
  int losers = 0;
};

template <class Neighbours>
KILN_HOT Tally tally(const Neighbours& neighbours, CellId winner, CellId loser) {
  Tally result;
  for (int lane = 0; lane < neighbours.lanes(); ++lane) {
    const CellId id = neighbours.id(lane);
    result.present += id != kNowhere ? 1 : 0;
    result.winners += id == winner ? 1 : 0;
    result.losers += id == loser ? 1 : 0;
  }
  return result;
}

}  // namespace kiln
