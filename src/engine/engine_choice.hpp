// Which engine plays a model.
#pragma once

#include "engine/engine.hpp"

namespace kiln {

// What "auto" and "" stand for, for so many simulations of the model at once; `threads` is then 1 or more.
// UserError where that is not known, or does not fit together.
EngineOptions chosen_engine(const Model& model, const EngineOptions& options, int64_t simulations = 1);
// Whether a GPU is there, and the lattice large enough for it.
bool is_worth_gpu(const Model& model, int64_t simulations = 1);

}  // namespace kiln
