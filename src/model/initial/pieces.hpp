// Packings cut a region into pieces; those that were cut too small by its edge are given away or left out.
#pragma once

#include <vector>

#include "model/initial/step.hpp"

namespace kiln {

// Makes cells of the pieces of a step. Piece k holds `sites[k]` sites, which have the id builder.next_cell()
// + k; the step says what becomes of those with less than its smallest share of `full` sites. Cells are
// numbered in the order of their pieces. A piece that shares no side with another of the step cannot be given
// away: it is left out.
void make_cells(StepBuilder& builder, std::vector<int64_t> sites, double full);

}  // namespace kiln
