#include "output/run/folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace kiln {
namespace fs = std::filesystem;
namespace {

// What makes a folder that of a run goes last, and what could be resumed first: nothing is left that passes
// for a run if the process dies in between.
constexpr const char* kFiles[] = {"checkpoint.h5",
                                  "checkpoint-before.h5",
                                  "checkpoint-refused.h5",
                                  ".checkpoint-next.h5",
                                  "run.json",
                                  "cells.csv",
                                  "measures.csv",
                                  "lags.csv",
                                  "speeds.csv",
                                  "motility.csv",
                                  "direction_correlation.csv",
                                  ".direction_correlation.csv.part",
                                  "lattice.h5",
                                  "lattice.xdmf",
                                  "labels",
                                  "pictures",
                                  "report.html",
                                  ".cells.csv.part",
                                  ".measures.csv.part",
                                  ".lattice.new",
                                  ".lattice.more",
                                  "cells.h5",
                                  ".cells.rows.part",
                                  "model.toml"};

bool has_content(const fs::path& path) {
  return fs::exists(path) && !(fs::is_directory(path) && fs::is_empty(path));
}
bool holds_run(const fs::path& path) { return fs::exists(path / "model.toml"); }

}  // namespace

fs::path RunFolder::labels(int64_t mcs) const {
  return path / "labels" / fmt::format("labels_{:08}.ome.tif", mcs);
}

RunFolder finished_run(const fs::path& path) {
  const RunFolder folder{path};
  if (!fs::exists(folder.model()))
    throw UserError(fmt::format("{} is not the folder of a run: it has no model.toml.", path.string()));
  if (!fs::exists(folder.lattice()))
    throw UserError(fmt::format("{} has no lattice.h5, so there are no saved states.", path.string()));
  return folder;
}

void check_run_folder(const fs::path& path, IfExists if_exists) {
  try {
    if (fs::exists(path) && !fs::is_directory(path))
      throw UserError(fmt::format("{} is a file; a run needs a folder of its own (--out).", path.string()));
    if (!has_content(path) || if_exists == IfExists::resume) return;
    if (if_exists == IfExists::refuse)
      throw UserError(
          fmt::format("{} exists and is not empty; give another --out, --force to replace the run in "
                      "it, or --resume to go on with it.",
                      path.string()));
    if (!holds_run(path))
      throw UserError(
          fmt::format("{} holds files but no run (no model.toml), so --force leaves it alone; give "
                      "another --out.",
                      path.string()));
  } catch (const fs::filesystem_error& e) {
    throw UserError(fmt::format("cannot use {} for the run: {}.", path.string(), e.code().message()));
  }
}

RunFolder make_run_folder(const fs::path& path, IfExists if_exists) {
  check_run_folder(path, if_exists);
  try {
    if (if_exists == IfExists::replace)
      for (const char* name : kFiles) fs::remove_all(path / name);
    fs::create_directories(path / "pictures");
    for (const fs::path& folder : {path, path / "pictures", path / "labels"}) remove_leftovers(folder);
  } catch (const fs::filesystem_error& e) {
    throw UserError(fmt::format("cannot make the run's folder {}: {}.", path.string(), e.code().message()));
  }
  return {path};
}

FolderLock::FolderLock(const fs::path& folder) : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY)) {
  if (folder_ >= 0 && ::flock(folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(folder_);
    throw UserError(fmt::format(
        "another process is running in {}; wait until it ends, or give another --out.", folder.string()));
  }
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) ::close(folder_);
}

fs::path unused_run_folder(const std::string& name) {
  fs::path path = fs::path("runs") / name;
  for (int number = 2; has_content(path); ++number)
    path = fs::path("runs") / fmt::format("{}-{}", name, number);
  return path;
}

}  // namespace kiln
