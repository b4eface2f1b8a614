// Pictures as PNG files, by libpng.
#pragma once

#include <filesystem>
#include <vector>

#include "output/picture/image.hpp"

namespace kiln {

// Without libpng at build time every function here throws a Failure that says what to install.
#ifdef KILN_HAS_PNG
inline constexpr bool kHasPng = true;
#else
inline constexpr bool kHasPng = false;
#endif

// The bytes of a PNG file: 8-bit RGB, not interlaced.
std::vector<uint8_t> encode_png(const Image& image);

void write_png(const Image& image, const std::filesystem::path& path);

// Any PNG, brought to 8-bit RGB; what is transparent comes out black. Throws UserError where the file is
// none.
Image read_png(const std::filesystem::path& path);

}  // namespace kiln
