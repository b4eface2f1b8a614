// States that come from outside: a lattice given as it is, or one that has been painted on.
#pragma once

#include <span>
#include <vector>

#include "model/model.hpp"

namespace kiln {

// A first state of these ids, x fastest; `types` has an entry per id, that of the medium first. UserError
// where ids and types do not fit the model.
State state_of_ids(const Model& model, std::span<const CellId> ids, std::vector<TypeId> types);

// Makes a state consistent whose ids and types of cells were changed, and that may have new cells at the end:
// cells are counted anew, sites that changed hands lose their Act, and cells that were not there `before`
// start like those of a first state. UserError where an id has no cell.
void complete_edit(const Model& model, State& state, const State& before);

}  // namespace kiln
