// The chunks that PNG files are made of: pictures and animations write them, animations read those of
// pictures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "output/picture/image.hpp"

namespace kiln {

inline constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);

void append_number(std::string& out, uint32_t value, int bytes = 4);
void append_chunk(std::string& out, std::string_view name, std::string_view data);

// What a picture is made of: all frames of an animation share the head.
struct PngParts {
  int width = 0, height = 0;
  std::string head;    // IHDR to PLTE, whole chunks
  std::string pixels;  // of IDAT: a zlib stream of filtered rows
};

// 8 bits per pixel where 256 colours suffice, else RGB. Fast rather than small: a run may wait for a picture,
// and must not lose time by it. Most rows of a slice repeat the one above, and runs of zeros are all that is
// left.
PngParts png_parts(const IndexedImage& image);
PngParts png_parts(const Image& image);

std::string png_file(const PngParts& parts);

// Of the bytes of a file that Kiln has written; no pixels where it is none.
PngParts parts_of_png(std::string_view file);

}  // namespace kiln
