// Pictures as video has them: brightness for every pixel, and two numbers of colour for every four.
#pragma once

#include <vector>

#include "output/picture/image.hpp"

namespace kiln {

// The planes Y, Cb and Cr one after the other (yuv420p), by the matrix and the range of high-definition video
// (BT.709, 16 to 235). Sizes are rounded up to even ones: the last column and row are there twice.
struct YuvImage {
  int width = 0, height = 0;
  std::vector<uint8_t> planes;
};
YuvImage yuv_of(const Image& image);

}  // namespace kiln
