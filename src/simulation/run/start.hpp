// Where a run begins: with the model's first state, with a checkpoint of its own, or with that of another
// run.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "output/state/checkpoint_pair.hpp"

namespace kiln {

// What a run is asked to begin with.
struct StartOptions {
  bool resume = false;         // from its own checkpoint, where there is one
  std::filesystem::path from;  // another run's folder, or a checkpoint; empty: the model's first state
  bool steered = false;        // a program goes along that may change it
  // Several processes play it, which build a first state together. So much memory there is then for all.
  bool together = false;
  double memory = physical_memory();
  // How a checkpoint to resume from is read. It may be without its state, which then stays in the file.
  ReadCheckpoint read = read_checkpoint;
};

struct RunStart {
  State state;
  CellId cells = 0;                        // the medium among them
  std::string stored;                      // the checkpoint that has the state, if that was not read
  bool build = false;                      // the state is the model's first, and still to be built
  std::optional<FoundCheckpoint> resumed;  // its state has moved to `state`, all but the MCS
  std::optional<BranchPoint> from;         // a new run that branches off another
  std::vector<std::string> notes;          // what a person should know about it
  std::shared_ptr<const Model> model;      // that a resumed run was steered to; null: the one given
};

// UserError where the model, or what the options ask for, does not fit what is found.
RunStart find_start(const StartOptions& options, const Model& model, const RunFolder& folder);

// A run goes on with the schedule it began with, on whatever engine.
// `notes` gets what there is to say of a first state that is built.
EngineOptions engine_for(EngineOptions options, const RunStart& start, const RunFolder& folder,
                         std::vector<std::string>* notes);

}  // namespace kiln
