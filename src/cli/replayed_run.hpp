// The run that --replay repeats: what it began with, and what it came to.
#pragma once

#include <optional>
#include <string>

#include "cli/commands.hpp"
#include "output/run/record.hpp"
#include "simulation/run/run.hpp"

namespace kiln {

class ReplayedRun {
 public:
  // UserError where the folder is not that of a run.
  explicit ReplayedRun(const std::filesystem::path& folder);

  // Fills in what the options leave open: model, --from and schedule. UserError where the state that it began
  // with is gone.
  void complete(RunOptions& options) const;
  // UserError where `run` begins with another state than that of run.json, though nothing else was asked for.
  void check_start(const Run& run, const RunOptions& given) const;
  // Says whether `run`, which has finished, has come to the same hash. False: it should have.
  bool check_end(const Run& run) const;

 private:
  const std::optional<BranchPoint>& from() const;

  RunFolder folder_;
  std::optional<RunRecord> record_;  // none: it was killed before the first
  std::optional<BranchPoint> from_of_checkpoint_;
};

}  // namespace kiln
