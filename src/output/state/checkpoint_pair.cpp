#include "output/state/checkpoint_pair.hpp"

#include <fmt/format.h>

#include <set>

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

void move_if_there(const fs::path& from, const fs::path& to) {
  if (fs::exists(from)) move_into_place(from, to);
}

// A name that nothing has, as seen from the run's folder: parts of a checkpoint that is still good may be of
// the same MCS.
std::string make_parts_folder(const RunFolder& folder, int64_t mcs) {
  std::string name = fmt::format("{:08}", mcs);
  for (int number = 2; fs::exists(folder.checkpoint_parts() / name); ++number)
    name = fmt::format("{:08}-{}", mcs, number);
  fs::create_directories(folder.checkpoint_parts() / name);
  return (folder.checkpoint_parts().filename() / name).string();
}

void forget_unused_parts(const RunFolder& folder) {
  if (!fs::exists(folder.checkpoint_parts())) return;
  std::set<fs::path> used;
  try {
    for (const fs::path& file :
         {folder.checkpoint(), folder.checkpoint_before(), folder.checkpoint_refused()})
      if (fs::exists(file)) used.insert(folder.path / parts_of_checkpoint(file));
  } catch (const UserError&) {
    return;  // a damaged one does not say what it needs
  }
  std::vector<fs::path> unused;
  for (const auto& entry : fs::directory_iterator(folder.checkpoint_parts()))
    if (used.count(entry.path()) == 0) unused.push_back(entry.path());
  for (const fs::path& parts : unused) fs::remove_all(parts);
  if (fs::is_empty(folder.checkpoint_parts())) fs::remove(folder.checkpoint_parts());
}

void put_in_place(const RunFolder& folder) {
  move_if_there(folder.checkpoint(), folder.checkpoint_before());
  move_into_place(folder.checkpoint_next(), folder.checkpoint());
  forget_unused_parts(folder);
}

}  // namespace

void add_checkpoint(const RunFolder& folder, const State& state, const CheckpointInfo& info) {
  write_checkpoint(folder.checkpoint_next(), state, info);
  put_in_place(folder);
}

void add_checkpoint(const RunFolder& folder, StateParts& state, const CheckpointInfo& info) {
  write_checkpoint(folder.checkpoint_next(), state, make_parts_folder(folder, state.mcs()), info);
  put_in_place(folder);
}

std::optional<FoundCheckpoint> find_checkpoint(const RunFolder& folder, const ReadCheckpoint& read) {
  std::string refused;
  for (const fs::path& file : {folder.checkpoint(), folder.checkpoint_before()}) {
    if (!fs::exists(file)) continue;
    try {
      return FoundCheckpoint{read(file), file, refused};
    } catch (const UserError& e) {
      refused += fmt::format("{}{}", refused.empty() ? "" : " ", e.what());
    }
  }
  if (refused.empty()) return std::nullopt;
  throw UserError(
      fmt::format("{} There is no good checkpoint in {} to go on from; --force starts the run anew.", refused,
                  folder.path.string()));
}

void put_refused_aside(const RunFolder& folder, const FoundCheckpoint& found) {
  if (found.refused.empty()) return;
  move_into_place(folder.checkpoint(), folder.checkpoint_refused());
  move_into_place(found.file, folder.checkpoint());
}

}  // namespace kiln
