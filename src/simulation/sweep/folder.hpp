// The folder of a sweep: the model, what is finished so far, and the tables that come of it. Shards have
// folders of their own in it, and share nothing else, so that machines can play them at the same time.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "output/run/folder.hpp"
#include "output/table/sweep_journal.hpp"
#include "simulation/sweep/sweep.hpp"

namespace kiln {

struct FailedRun {
  SweepRun run;
  std::string why;
};

class SweepFolder {
 public:
  // Throws UserError where the folder cannot be used so, or another process is at it. `base` is the model
  // that nothing is varied of: a sweep goes on with the same one only. With a shard, its folder below `out`
  // is made. Without, runs that shards have finished are taken over; their folders stay as they are.
  SweepFolder(const std::filesystem::path& out, IfExists if_exists, const Model& base,
              const std::string& schedule, const std::optional<Shard>& shard = {});

  bool has(const SweepRun& run) const { return journal_->find(run.name) != nullptr; }
  void add(const SweepRun& run, const Model& model, const ReplicaResult& result);

  // sweep.csv: what is varied, replica, seed, the hash of the last state, the last row of measures, and the
  // speeds of the last measured phase. measures.csv: all rows of all runs. Of the runs that are finished, in
  // the order of the sweep.
  void write_tables(const Sweep& sweep) const;
  void write_record(const std::string& json) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FolderLock> lock_;
  std::optional<SweepJournal> journal_;
};

struct SweepProgress {
  int64_t mcs = 0, all_mcs = 0;  // made so far by this part of the sweep, and to be made by it
  int64_t finished = 0;          // runs, those of earlier parts too
};

// Before anything is played.
SweepProgress progress_in(const SweepFolder& folder, const Sweep& sweep);

// Plays what the folder has not; go_on(progress) is asked now and then, and ends it by saying no. Gives back
// the runs that failed, in the order of the sweep.
std::vector<FailedRun> play_into(SweepFolder& folder, Sweep& sweep,
                                 const std::function<bool(const SweepProgress&)>& go_on);

}  // namespace kiln
