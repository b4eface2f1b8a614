// What ImageJ writes into the description of a TIFF file: lines of key=value.
#pragma once

#include <optional>
#include <string>

namespace kiln {

struct ImagejStack {
  int64_t images = 1, channels = 1, slices = 1, frames = 1;  // channels vary fastest, frames slowest
  double spacing = 0;                                        // of slices, in units; 0 where it is not given
  std::optional<double> unit_um;
};

// Nothing where the text is not ImageJ's. Throws UserError, naming the file, where its numbers make no sense.
std::optional<ImagejStack> parse_imagej(const std::string& text, const std::string& file);

}  // namespace kiln
