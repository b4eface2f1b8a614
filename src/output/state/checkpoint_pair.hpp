// Two generations of checkpoints in a run's folder: checkpoint.h5, and the one before it for when that gets
// damaged.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "output/run/folder.hpp"
#include "output/state/checkpoint.hpp"

namespace kiln {

// Whenever the process dies, at least one whole checkpoint is there that was there before.
void add_checkpoint(const RunFolder& folder, const State& state, const CheckpointInfo& info);
// The same in parts, which those that are no longer needed make room for.
void add_checkpoint(const RunFolder& folder, StateParts& state, const CheckpointInfo& info);

struct FoundCheckpoint {
  Checkpoint checkpoint;
  std::filesystem::path file;
  std::string refused;  // what is wrong with the newer one, where there is something
};

// The newer one, or the one before it where the newer is damaged; none where there are none. UserError where
// none of them can be read.
using ReadCheckpoint = std::function<Checkpoint(const std::filesystem::path&)>;
std::optional<FoundCheckpoint> find_checkpoint(const RunFolder& folder,
                                               const ReadCheckpoint& read = read_checkpoint);

// Moves a refused checkpoint out of the way, so that it does not displace the good one when the next is
// added.
void put_refused_aside(const RunFolder& folder, const FoundCheckpoint& found);

}  // namespace kiln
