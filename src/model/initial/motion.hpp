// What moving cells carry with them at the start: Act, directions, past places.
#pragma once

#include <vector>

#include "model/model.hpp"

namespace kiln {

void start_act(const Model& model, State& state);
// Of a state whose cells are counted.
void start_persistence(const Model& model, State& state);

// By type: whether it is persistent in any phase.
std::vector<bool> persistent_types(const Model& model);

}  // namespace kiln
