// Checkpoints: all that a run needs to go on as if it had never been stopped, bit for bit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/state.hpp"
#include "engine/engine.hpp"
#include "engine/state_parts.hpp"
#include "model/branch.hpp"
#include "output/run/record.hpp"

namespace kiln {

// A program that is asked on the way, and may change the model and the tissue.
struct Steering {
  std::string by;        // as "Python"
  bool changed = false;  // whether it has changed anything in this run
  std::string model;     // as it has become, resolved; "" where it is still the one the run began with
  int64_t mcs = -1;      // the last at which it was asked; the state is the one that it left
};

struct CheckpointInfo {
  uint64_t seed = 0;
  std::string model;  // that the run began with; resolved, as TOML
  std::string schedule;
  int phase = 0;         // index of the phase that the next MCS belongs to
  AttemptCounts counts;  // of the whole run so far
  std::vector<TypeMemory> types;
  std::vector<std::string> properties;  // of cells, in the order of the state
  std::optional<BranchPoint> from;  // where the run began, if it branched off another
  std::optional<Steering> steering;
  // What measures and tracks remember from before they saw this state, by a name of their own.
  std::map<std::string, std::vector<double>> extra;
};

// What there is to say of a state at this MCS; of the measures and of a branch, nothing.
CheckpointInfo checkpoint_info(const Model& model, int64_t mcs, const AttemptCounts& counts,
                               const std::string& schedule);

struct Checkpoint {
  State state;
  CheckpointInfo info;
  std::string version;  // of the Kiln that wrote it
  std::string hash;     // state_hash(state)
  CellId cells = 0;     // the medium among them
};

// Appears whole or not at all.
void write_checkpoint(const std::filesystem::path& path, const State& state, const CheckpointInfo& info);

// The same where every process writes a part of the state: into the folder `parts`, a path as seen from the
// checkpoint's own folder, which is there and stays. Whatever reads the checkpoint needs not know of it.
void write_checkpoint(const std::filesystem::path& path, StateParts& state, const std::string& parts,
                      const CheckpointInfo& info);
void write_checkpoint_part(const std::filesystem::path& folder, const OwnPart& part);
// "" where it has none.
std::string parts_of_checkpoint(const std::filesystem::path& path);

// UserError, naming the file, where it is missing, damaged or not a checkpoint, or where the state in it does
// not have the hash that it should.
Checkpoint read_checkpoint(const std::filesystem::path& path);
// Of the state no more than lattice and MCS: several processes read what each of them needs. Its parts are
// checked by them, every step-th from `first` on, and in the end the hash of what they have read.
Checkpoint read_checkpoint_without_state(const std::filesystem::path& path);
void check_checkpoint_parts(const std::filesystem::path& path, int first, int step);
void check_hash(const std::filesystem::path& path, const std::string& recorded, const std::string& found);
std::unique_ptr<StateSource> open_checkpoint(const std::filesystem::path& path);

}  // namespace kiln
