#include "cli/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>

#include "base/error.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

constexpr std::string_view kPngEndings[] = {".png"}, kPngStarts[] = {"\x89PNG\r\n\x1a\n"sv};
constexpr std::string_view kTiffEndings[] = {".tif", ".tiff"},
                           kTiffStarts[] = {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv};
constexpr std::string_view kNewickEndings[] = {".nwk", ".newick", ".tree"}, kTrackEndings[] = {".txt"};
constexpr std::string_view kLineageStarts[] = {"(", "1", "2", "3", "4", "5", "6", "7", "8", "9"};

bool begins_with_one_of(const fs::path& file, std::span<const std::string_view> starts) {
  char start[8] = {};
  std::ifstream in(file, std::ios::binary);
  in.read(start, sizeof start);
  const std::string_view found(start, std::size_t(in.gcount()));
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view expected) { return found.starts_with(expected); });
}

}  // namespace

const OutputKind kPngPicture{"PNG picture", kPngEndings, kPngStarts};
const OutputKind kTiffImage{"TIFF image", kTiffEndings, kTiffStarts};
const OutputKind kNewickTree{"Newick tree", kNewickEndings, kLineageStarts};
const OutputKind kTrackTable{"table of tracks", kTrackEndings, std::span(kLineageStarts).subspan(1)};

void check_output(const fs::path& file, const OutputKind& kind) {
  std::string ending = file.extension().string();
  for (char& c : ending) c = char(std::tolower(static_cast<unsigned char>(c)));
  if (std::find(kind.endings.begin(), kind.endings.end(), ending) == kind.endings.end())
    throw UserError(fmt::format("--out is {}, but the name of a {} must end in {}.", file.string(), kind.name,
                                fmt::join(kind.endings, " or ")));
  std::error_code none;
  const bool is_empty = fs::is_regular_file(file, none) && fs::is_empty(file, none);
  if (fs::exists(file, none) && !is_empty && !begins_with_one_of(file, kind.starts))
    throw UserError(fmt::format("{} exists and is no {}, so it is not replaced; give another --out.",
                                file.string(), kind.name));
}

}  // namespace kiln
