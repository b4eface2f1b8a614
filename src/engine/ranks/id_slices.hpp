// Cells in the order of their numbers, a slice for every rank, whoever plays them: files have them so.
#pragma once

#include "engine/ranks/rank_player.hpp"

namespace kiln {

struct IdSlice {
  CellId first = 0, count = 0;
};
// Of numbers 0 to `cells` - 1.
IdSlice id_slice(CellId cells, int ranks, int rank);
int slice_owner(CellId cells, int ranks, CellId number);

// The rows of the rank's slice, from those who keep the cells; anchors are places in the lattice. By all
// ranks at once, whose bricks have been fetched.
Cells cells_of_slice(const RankPlayer& rank, Exchange& exchange, CellId cells);

}  // namespace kiln
