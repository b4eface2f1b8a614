// Parts of a tissue on their way between the first rank and the others.
#pragma once

#include "engine/ranks/crew.hpp"
#include "engine/ranks/rank_player.hpp"

namespace kiln {

void send_part(Crew& crew, int to, const TissuePart& part, PartOf what);
// The grid has to be known.
TissuePart receive_part(Crew& crew, int from, const BrickGrid& grid, int rank, int halo,
                        const std::vector<bool>& frozen, PartOf what);

// A table of cells without a part.
void send_cells(Crew& crew, int to, const Cells& cells);
Cells receive_cells(Crew& crew, int from);

// Those of cells that the part has.
void send_holders(Crew& crew, int to, const TissuePart& part, const Holders& holders);
Holders receive_holders(Crew& crew, int from);

}  // namespace kiln
