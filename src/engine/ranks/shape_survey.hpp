// Cells that are not what they should be, of a tissue whose parts lie in several processes.
#pragma once

#include "engine/ranks/tissue_part.hpp"

namespace kiln {

// By all ranks at once, of `cells` cells in all: how many, of those that are up to this rank, are in more
// than one piece, and how many span more than half of a periodic axis (measure/shape.hpp). The sums over all
// ranks are those of the tissue.
int64_t fragmented_cells_of_rank(const TissuePart& part, Exchange& exchange, CellId cells, int threads);
int64_t wide_cells_of_rank(const TissuePart& part, Exchange& exchange, CellId cells);

}  // namespace kiln
