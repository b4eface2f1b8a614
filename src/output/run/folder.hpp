// The folder of a run: whether it may be used, and what its files are called.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace kiln {

struct RunFolder {
  std::filesystem::path path;

  std::filesystem::path source() const { return path / "source.toml"; }  // the model's text as it was given
  std::filesystem::path model() const { return path / "model.toml"; }    // every default written out
  std::filesystem::path record() const { return path / "run.json"; }
  std::filesystem::path cells() const { return path / "cells.csv"; }
  std::filesystem::path tracks() const { return path / "cells.h5"; }
  std::filesystem::path measures() const { return path / "measures.csv"; }
  std::filesystem::path lags() const { return path / "lags.csv"; }
  std::filesystem::path speeds() const { return path / "speeds.csv"; }
  std::filesystem::path motility() const { return path / "motility.csv"; }
  std::filesystem::path direction_correlation() const { return path / "direction_correlation.csv"; }
  std::filesystem::path lineage() const { return path / "lineage.csv"; }
  std::filesystem::path lattice() const { return path / "lattice.h5"; }
  std::filesystem::path snapshots() const { return path / "snapshots"; }  // those of lattice.h5 until the end
  std::filesystem::path labels(int64_t mcs) const;                        // of one snapshot, as OME-TIFF
  std::filesystem::path pictures() const { return path / "pictures"; }
  std::filesystem::path checkpoint() const { return path / "checkpoint.h5"; }
  std::filesystem::path checkpoint_before() const { return path / "checkpoint-before.h5"; }
  std::filesystem::path checkpoint_refused() const { return path / "checkpoint-refused.h5"; }
  std::filesystem::path checkpoint_next() const { return path / ".checkpoint-next.h5"; }
  // Of checkpoints and snapshots of several processes: files that these make one of.
  std::filesystem::path checkpoint_parts() const { return path / "checkpoint-parts"; }
  std::filesystem::path lattice_parts() const { return path / "lattice-parts"; }
  // Changes that a person made on the way, with their MCS.
  std::filesystem::path steering() const { return path / "steering.jsonl"; }
  std::filesystem::path report() const { return path / "report.html"; }
};

enum class IfExists {
  refuse,   // UserError where the folder has anything in it
  replace,  // takes an earlier run's files away first; UserError where the folder holds anything else
  resume,   // leaves everything; UserError where the folder holds files but no run
};

// Checks without changing anything, so that a run that cannot start writes nothing. `input`: the file that
// the model was read from, which no run may write over; empty where there is none.
void check_run_folder(const std::filesystem::path& path, IfExists if_exists,
                      const std::filesystem::path& input);
// Makes the folder (and pictures/ in it), emptied where `replace` says so. `source` becomes source.toml, the
// first file in it, unless it is empty.
RunFolder make_run_folder(const std::filesystem::path& path, IfExists if_exists,
                          std::string_view source = {});
// Takes away what a part of a run has left that cannot be gone on with.
void forget_results(const RunFolder& folder);

// Only one process at a time may run in a folder. Gone with the process, however it ends.
class FolderLock {
 public:
  // UserError where another process holds it. Where a file system has no locks there is none.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int folder_;
};

// Whether another process runs in the folder now. Where a file system has no locks: no.
bool is_running_in(const std::filesystem::path& folder);

bool has_snapshots(const RunFolder& folder);
// The folder of a run, which may be under way, with a model and snapshots; UserError where there are none.
RunFolder run_with_snapshots(const std::filesystem::path& path);

// Makes runs/NAME, or the first of runs/NAME-2, runs/NAME-3, ... that does not exist, for this process alone.
std::filesystem::path claim_run_folder(const std::string& name);

}  // namespace kiln
