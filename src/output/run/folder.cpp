#include "output/run/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

// All that a run leaves at the top of its folder. What could be resumed goes first when they are taken away,
// and what makes the folder that of a run last: nothing is left that passes for one if the process dies in
// between.
constexpr const char* kFiles[] = {"checkpoint.h5",
                                  "checkpoint-before.h5",
                                  "checkpoint-refused.h5",
                                  ".checkpoint-next.h5",
                                  "checkpoint-parts",
                                  "run.json",
                                  "cells.csv",
                                  "cells.h5",
                                  "cells.rows",
                                  "measures.csv",
                                  "lags.csv",
                                  "speeds.csv",
                                  "motility.csv",
                                  "lineage.csv",
                                  "lineage.nwk",
                                  "res_track.txt",
                                  "direction_correlation.csv",
                                  "lattice.h5",
                                  "lattice.xdmf",
                                  "lattice-parts",
                                  "snapshots",
                                  "labels",
                                  "pictures",
                                  "report.html",
                                  "steering.jsonl",
                                  "model.toml",
                                  "source.toml"};

// The first entry of a folder that is none of a run's, nor half of one; "" where there is none.
std::string foreign_entry(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto is_it = [&](const char* file) { return name == file; };
    if (std::none_of(std::begin(kFiles), std::end(kFiles), is_it) && !is_leftover(name)) return name;
  }
  return "";
}

bool has_content(const fs::path& path) {
  if (!fs::is_directory(path)) return fs::exists(path);
  return std::any_of(fs::directory_iterator(path), {},
                     [](const auto& entry) { return !is_leftover(entry.path().filename().string()); });
}

// source.toml is the first file that a run writes. A model.toml alone may be a person's own.
bool holds_run(const fs::path& path) {
  for (const char* name : {"source.toml", "checkpoint.h5", "checkpoint-before.h5", "run.json"})
    if (fs::exists(path / name)) return true;
  return false;
}

// Where the model was read from a file that the run would write over, or take away.
void refuse_own_input(const fs::path& folder, IfExists if_exists, const fs::path& input) {
  if (input.empty()) return;
  for (const std::string name : kFiles) {
    std::error_code none;
    if (!fs::equivalent(folder / name, input, none)) continue;
    // Goes on with a run by its own model.
    if (if_exists == IfExists::resume && holds_run(folder) && name.ends_with(".toml")) return;
    throw UserError(
        fmt::format("{} is in the folder of the run, which writes a {} of its own; give another --out, or "
                    "move the model.",
                    input.string(), name));
  }
}

void check_content(const fs::path& path, IfExists if_exists, const fs::path& input) {
  if (if_exists == IfExists::refuse)
    throw UserError(
        fmt::format("{} exists and is not empty; give another --out, --force to replace the run in "
                    "it, or --resume to go on with it.",
                    path.string()));
  refuse_own_input(path, if_exists, input);
  const char* option = if_exists == IfExists::replace ? "--force" : "--resume";
  if (!holds_run(path))
    throw UserError(fmt::format("{} holds files but no run, so {} leaves it alone; give another --out.",
                                path.string(), option));
  if (const std::string foreign = foreign_entry(path); if_exists == IfExists::replace && !foreign.empty())
    throw UserError(fmt::format(
        "{} holds {}, which is no file of a run, so --force leaves the folder alone; move it away, "
        "or give another --out.",
        path.string(), foreign));
}

void remove_files_in(const fs::path& folder) {
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file()) fs::remove(entry.path());
}

}  // namespace

fs::path RunFolder::labels(int64_t mcs) const {
  return path / "labels" / fmt::format("labels_{:08}.ome.tif", mcs);
}

bool has_snapshots(const RunFolder& folder) {
  return fs::exists(folder.lattice()) || has_content(folder.snapshots());
}

RunFolder run_with_snapshots(const fs::path& path) {
  const RunFolder folder{path};
  if (!fs::exists(folder.model()))
    throw UserError(fmt::format("{} is not the folder of a run: it has no model.toml.", path.string()));
  if (!has_snapshots(folder))
    throw UserError(
        fmt::format("{} has no lattice.h5 and no snapshots, so there are no saved states.", path.string()));
  return folder;
}

void check_run_folder(const fs::path& path, IfExists if_exists, const fs::path& input) {
  try {
    if (fs::exists(path) && !fs::is_directory(path))
      throw UserError(fmt::format("{} is a file; a run needs a folder of its own (--out).", path.string()));
    if (has_content(path)) check_content(path, if_exists, input);
  } catch (const fs::filesystem_error& e) {
    throw UserError(fmt::format("cannot use {} for the run: {}.", path.string(), e.code().message()));
  }
}

RunFolder make_run_folder(const fs::path& path, IfExists if_exists, std::string_view source) {
  const RunFolder folder{path};
  check_run_folder(path, if_exists, {});
  try {
    if (if_exists == IfExists::replace)
      for (const char* name : kFiles) fs::remove_all(path / name);
    fs::create_directories(path);
    if (!source.empty()) write_text_atomically(folder.source(), source);
    fs::create_directories(folder.pictures());
    for (const fs::path& inner : {path, folder.pictures(), path / "labels"}) remove_leftovers(inner);
  } catch (const fs::filesystem_error& e) {
    throw UserError(fmt::format("cannot make the run's folder {}: {}.", path.string(), e.code().message()));
  }
  return folder;
}

void forget_results(const RunFolder& folder) {
  for (const char* name : kFiles) {
    const fs::path path = folder.path / name;
    if (path == folder.checkpoint_parts() || path == folder.lattice_parts())
      fs::remove_all(path);
    else if (fs::is_directory(path) && !path.has_extension())
      remove_files_in(path);
    else if (fs::is_regular_file(path) && path != folder.source())
      fs::remove(path);
  }
}

// Not for programs that a run starts (ffmpeg): one that outlives it would keep the folder.
FolderLock::FolderLock(const fs::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ >= 0 && ::flock(folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(folder_);
    throw UserError(fmt::format(
        "another process is running in {}; wait until it ends, or give another --out.", folder.string()));
  }
}

// A shared lock, given back at once.
bool is_running_in(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return false;
  const bool is_locked = ::flock(opened, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(opened);
  return is_locked;
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) ::close(folder_);
}

fs::path claim_run_folder(const std::string& name) {
  const fs::path runs = "runs";
  fs::path path = runs / name;
  std::error_code error;
  fs::create_directories(runs, error);
  for (int number = 2; !error && !fs::create_directory(path, error) && !error; ++number)
    path = runs / fmt::format("{}-{}", name, number);
  if (error)
    throw UserError(fmt::format("cannot make the run's folder {}: {}.", path.string(), error.message()));
  return path;
}

}  // namespace kiln
