// Cells in the order of their numbers, a slice for every rank, whoever plays them: files have them so.
#pragma once

#include <optional>

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
// The same as a table of its own (core/cell_slice.hpp): row 0 is the medium's, whatever the slice.
Cells table_of_slice(const RankPlayer& rank, Exchange& exchange, CellId cells);
// That of an MCS, so that it is collected once however many ask for it. All ranks keep theirs, or none does.
struct SliceOfMoment {
  int64_t mcs;
  Cells cells;
};
const Cells& table_of_slice(RankPlayer& rank, Exchange& exchange, std::optional<SliceOfMoment>& known);

}  // namespace kiln
