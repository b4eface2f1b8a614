// Files that --out names: nothing of another kind is replaced, whatever is named by mistake.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace kiln {

struct OutputKind {
  std::string_view name;                      // "PNG picture"
  std::span<const std::string_view> endings;  // ".png"
  std::span<const std::string_view> starts;   // what files of this kind begin with
};
extern const OutputKind kPngPicture, kTiffImage, kNewickTree, kTrackTable;

// UserError where the name has another ending, or where the file exists and is something else.
void check_output(const std::filesystem::path& file, const OutputKind& kind);

}  // namespace kiln
