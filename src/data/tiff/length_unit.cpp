#include "data/tiff/length_unit.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kiln {

std::optional<double> micrometres(std::string_view unit) {
  static constexpr std::pair<std::string_view, double> kKnown[] = {
      {"pm", 1e-6},
      {"\xC3\x85", 1e-4},      // U+00C5, a letter
      {"\xE2\x84\xAB", 1e-4},  // U+212B, the sign
      {"\xC5", 1e-4},          // Latin-1
      {"nm", 1e-3},
      {"nanometer", 1e-3},
      {"\xC2\xB5m", 1},  // U+00B5, the sign
      {"\xCE\xBCm", 1},  // U+03BC, the letter
      {"\xB5m", 1},      // Latin-1
      {"\\u00B5m", 1},   // as ImageJ writes it
      {"um", 1},
      {"micron", 1},
      {"microns", 1},
      {"micrometer", 1},
      {"mm", 1e3},
      {"millimeter", 1e3},
      {"cm", 1e4},
      {"inch", 25400},
      {"m", 1e6},
      {"meter", 1e6},
  };
  const auto* known = std::find_if(std::begin(kKnown), std::end(kKnown),
                                   [&](const auto& entry) { return entry.first == unit; });
  if (known == std::end(kKnown)) return std::nullopt;
  return known->second;
}

}  // namespace kiln
