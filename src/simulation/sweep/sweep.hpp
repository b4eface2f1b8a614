// A sweep: the grid of a model's parameters, and all its runs. The caller decides what becomes of the
// results: `kiln sweep` writes tables, Python may keep them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/sweep_grid.hpp"
#include "simulation/replicas.hpp"
#include "simulation/sweep/shard.hpp"

namespace kiln {

struct SweepRun {
  std::size_t combination;
  int64_t replica;  // from 1
  uint64_t seed;
  std::string name;  // what it is, as "temperature=10, replica 2": no other run has it
};

// Called while a sweep is played, one call at a time, from any thread.
struct SweepEvents {
  std::function<bool(const SweepRun&)> is_wanted;
  std::function<void(const SweepRun&, const Model&, const ReplicaResult&)> finished;
  std::function<void(const SweepRun&, const std::string&)> failed;  // and why
  std::function<bool(int64_t)> go_on;  // told how many MCS all runs together have made; false: give up
};

// Which runs are played here, and by what.
struct SweepShare {
  std::optional<Shard> shard = {};  // none: all runs
  // Those that batches of runs are dealt to, each in place of the engine's `device`. None: that one on a GPU;
  // on a processor, runs are dealt to its cores.
  std::vector<int> devices = {};
};

class Sweep {
 public:
  // The model with some of its values changed.
  using MakeModel = std::function<Model(const std::vector<Override>&)>;

  // Makes every model once: UserError where one of them is wrong.
  Sweep(std::vector<Variation> variations, int64_t replicas, MakeModel make_model,
        const EngineOptions& options, SweepShare share = {});

  const std::vector<Variation>& variations() const { return variations_; }
  const std::vector<Combination>& combinations() const { return combinations_; }
  int64_t replicas() const { return replicas_; }
  const std::vector<SweepRun>& runs() const { return runs_; }  // of the shard, where there is one
  const SweepShare& share() const { return share_; }
  const Model& first_model() const { return first_model_; }  // of the first combination
  const EngineOptions& engine() const { return engine_; }    // the one that is used
  int64_t mcs_of(const SweepRun& run) const { return mcs_[run.combination]; }

  // On a processor runs are dealt out to its cores; on a GPU the replicas of a combination are played at
  // once, and combinations are dealt to GPUs where there are several. Runs that fail do not stop the others.
  // What `finished` throws comes out here.
  void play(const SweepEvents& events);

 private:
  class Game;

  std::vector<Variation> variations_;
  std::vector<Combination> combinations_;
  int64_t replicas_;
  MakeModel make_model_;
  Model first_model_;
  EngineOptions engine_;
  SweepShare share_;
  std::vector<SweepRun> runs_;
  std::vector<int64_t> mcs_;  // per combination
};

}  // namespace kiln
