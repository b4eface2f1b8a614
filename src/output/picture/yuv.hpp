// Pictures as video has them: brightness for every pixel, and two numbers of colour for every four.
#pragma once

#include <vector>

#include "output/picture/image.hpp"

namespace kiln {

// Rounded up: four pixels share their colour.
constexpr int even_size(int size) { return (size + 1) / 2 * 2; }

// The planes Y, Cb and Cr one after the other (yuv420p), by the matrix and the range of high-definition video
// (BT.709, 16 to 235). The last column and row of odd sizes are there twice.
struct YuvImage {
  int width = 0, height = 0;
  std::vector<uint8_t> planes;
};
YuvImage yuv_of(const Image& image);

}  // namespace kiln
