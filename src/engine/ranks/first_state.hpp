// The first state of a model, of which every rank builds what is near to its brick, and nobody all.
#pragma once

#include "engine/ranks/bricks.hpp"
#include "engine/ranks/exchange.hpp"
#include "engine/state_parts.hpp"
#include "model/model.hpp"

namespace kiln {

// Another rank could not build it, and has said why.
struct RefusedElsewhere {};

// By all ranks at once; `near` is how far from its brick a rank reads sites. Gives back what the rank alone
// can read from: sites near to its brick, and the rows of its slice (id_slices.hpp). Where a model cannot be
// built so, or at all, all ranks throw the same: NeedsWhole (model/initial/first_sites.hpp), or UserError.
// Where some of them cannot, because they lack a file, say, the others throw RefusedElsewhere.
std::unique_ptr<StateSource> build_first_state(const Model& model, const BrickGrid& grid, int near,
                                               Exchange& exchange, std::vector<std::string>* notes = nullptr);

}  // namespace kiln
