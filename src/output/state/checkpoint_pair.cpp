#include "output/state/checkpoint_pair.hpp"

#include <fmt/format.h>

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

void move_if_there(const fs::path& from, const fs::path& to) {
  if (fs::exists(from)) move_into_place(from, to);
}

}  // namespace

void add_checkpoint(const RunFolder& folder, const State& state, const CheckpointInfo& info) {
  write_checkpoint(folder.checkpoint_next(), state, info);
  move_if_there(folder.checkpoint(), folder.checkpoint_before());
  move_into_place(folder.checkpoint_next(), folder.checkpoint());
}

std::optional<FoundCheckpoint> find_checkpoint(const RunFolder& folder) {
  std::string refused;
  for (const fs::path& file : {folder.checkpoint(), folder.checkpoint_before()}) {
    if (!fs::exists(file)) continue;
    try {
      return FoundCheckpoint{read_checkpoint(file), file, refused};
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
