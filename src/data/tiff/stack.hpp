// TIFF files as stacks of one channel at one time. Without libtiff and pugixml both functions throw a Failure
// that says what to install.
#pragma once

#include <cstddef>
#include <filesystem>

#include "data/image/image.hpp"

namespace kiln {

std::unique_ptr<ImageSource> open_tiff(const std::filesystem::path& path, const ImagePart& part,
                                       std::size_t most_bytes);

// A folder of files with one slice each, in the order of the numbers in their names.
std::unique_ptr<ImageSource> open_tiff_slices(const std::filesystem::path& folder, const ImagePart& part,
                                              std::size_t most_bytes);

}  // namespace kiln
