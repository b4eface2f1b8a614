#include "output/state/part_files.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "output/state/checkpoint.hpp"
#include "output/state/snapshot.hpp"

namespace kiln {

void PartFiles::write(PartFile kind, const std::string& folder, const OwnPart& part) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);  // there already, unless this process does not see it
  if (error) throw Failure(fmt::format("cannot write {}: {}.", folder, error.message()));
  if (kind == PartFile::checkpoint)
    write_checkpoint_part(folder, part);
  else
    write_snapshot_part(folder, part, voxel_um_, properties_);
}

std::unique_ptr<StateSource> PartFiles::open(const std::string& checkpoint) {
  return open_checkpoint(checkpoint);
}

std::string PartFiles::check(const std::string& checkpoint, int process, int processes) {
  try {
    check_checkpoint_parts(checkpoint, process, processes);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

}  // namespace kiln
