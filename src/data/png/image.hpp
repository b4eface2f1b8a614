// PNG files as images of one slice. Without libpng, open_png throws a Failure that says what to install.
#pragma once

#include <cstddef>
#include <filesystem>

#include "data/image/image.hpp"

namespace kiln {

bool can_read_png();

// Grey values of 1 to 16 bits, or the entries of a palette by their number; what is transparent does not
// matter. A PNG says nothing of use about the size of its pixels: programs write the resolution of a screen.
std::unique_ptr<ImageSource> open_png(const std::filesystem::path& path, const ImagePart& part);

}  // namespace kiln
