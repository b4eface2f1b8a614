// Pictures as PNG files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "output/picture/image.hpp"

namespace kiln {

// Without libpng at build time every function here throws a Failure that says what to install.
#ifdef KILN_HAS_PNG
inline constexpr bool kHasPng = true;
#else
inline constexpr bool kHasPng = false;
#endif

// The bytes of a PNG file, 8 bits per channel, not interlaced: RGB, or with a palette where the picture has
// one of at most 256 colours.
std::string encode_png(const Image& image);
std::string encode_png(const IndexedImage& image);

void write_png(const Image& image, const std::filesystem::path& path);

// Any PNG, brought to 8-bit RGB; what is transparent comes out black. Throws UserError where the file is
// none.
Image read_png(const std::filesystem::path& path);
Image decode_png(std::string_view file);

}  // namespace kiln
