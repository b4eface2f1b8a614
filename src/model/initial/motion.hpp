// What cells carry with them from the start: Act, directions, past places, targets of their own.
#pragma once

#include <vector>

#include "model/model.hpp"

namespace kiln {

void start_act(const Model& model, State& state);
// Of a state whose cells are counted.
void start_persistence(const Model& model, State& state);
// Every cell that has no targets yet gets its sizes as such, where the model asks for them. Of counted cells.
void start_targets(const Model& model, State& state);

// By type: whether it is persistent in any phase.
std::vector<bool> persistent_types(const Model& model);

}  // namespace kiln
