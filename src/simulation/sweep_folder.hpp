// The folder of a sweep: the model, what is finished so far, and the tables that come of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "output/run_folder.hpp"
#include "output/sweep_journal.hpp"
#include "simulation/sweep.hpp"

namespace kiln {

struct FailedRun {
  SweepRun run;
  std::string why;
};

class SweepFolder {
 public:
  // Throws UserError where the folder cannot be used so, or another process is at it. `base` is the model
  // that nothing is varied of: a sweep goes on with the same one only.
  SweepFolder(const std::filesystem::path& path, IfExists if_exists, const Model& base,
              const std::string& schedule);

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

}  // namespace kiln
