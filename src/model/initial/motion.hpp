// What cells carry with them from the start: Act, directions, past places, targets of their own.
#pragma once

#include <vector>

#include "model/model.hpp"

namespace kiln {

// By type: Act of its sites in a first state.
std::vector<ActValue> first_act(const Model& model);
void start_act(const Model& model, State& state);
// Of counted cells, from that with the number `first` on.
void start_persistence(const Model& model, Cells& cells, CellId first = kMedium);
// Every cell from `new_from` on begins with the lambdas of its type, where the model gives cells lambdas of
// their own.
void start_lambdas(const Model& model, Cells& cells, CellId new_from = 0);
// Every cell that has no targets yet gets its sizes as such, where the model asks for them. The same cells.
void start_targets(const Model& model, Cells& cells, CellId first = kMedium);

// By type: whether it is persistent in any phase.
std::vector<bool> persistent_types(const Model& model);

}  // namespace kiln
