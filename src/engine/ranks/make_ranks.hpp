// What plays the bricks of a model.
#pragma once

#include "engine/ranks/rank_player.hpp"

namespace kiln {

// For options that were chosen (engine_choice.hpp), with so many ranks in all.
MakeRank make_ranks(const Model& model, const EngineOptions& options, int ranks);

}  // namespace kiln
