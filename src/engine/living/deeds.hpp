// What a caller makes happen to cells of its choice between two MCS: what rules can do.
#pragma once

#include "engine/living/events.hpp"

namespace kiln {

// The deed of a rule, without conditions and numbers to set, for each of these cells. Throws UserError where
// one cannot; then nothing has changed. Cells that are too small to divide stay as they are.
CellChanges carry_out(const Model& model, State& state, const Rule& deed, std::vector<CellId> cells);

}  // namespace kiln
