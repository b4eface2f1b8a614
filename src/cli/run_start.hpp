// Where a run begins: with the model's first state, with a checkpoint of its own, or with that of another
// run.
#pragma once

#include <optional>

#include "cli/commands.hpp"
#include "output/state/checkpoint_pair.hpp"

namespace kiln {

struct RunStart {
  State state;
  std::optional<FoundCheckpoint> resumed;  // its state has moved to `state`, all but the MCS
  std::optional<BranchPoint> from;         // a new run that branches off another
  std::vector<std::string> notes;          // what a person should know about it
};

// UserError where the model, or what the options ask for, does not fit what is found.
RunStart find_start(const RunOptions& options, const Model& model, const RunFolder& folder);

// A run goes on with the schedule it began with, on whatever engine.
EngineOptions engine_for(const RunOptions& options, const RunStart& start, const RunFolder& folder);

}  // namespace kiln
