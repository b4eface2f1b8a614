// A picture in memory: 8 bits each of red, green and blue (sRGB), rows from top to bottom.
#pragma once

#include <cstddef>
#include <vector>

#include "base/colour.hpp"

namespace kiln {

struct Image {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;

  Image() = default;
  Image(int image_width, int image_height, Colour fill = {255, 255, 255});

  std::size_t offset(int x, int y) const { return (std::size_t(y) * width + x) * 3; }
  Colour at(int x, int y) const {
    const uint8_t* p = rgb.data() + offset(x, y);
    return {p[0], p[1], p[2]};
  }
  void set(int x, int y, Colour colour) {
    uint8_t* p = rgb.data() + offset(x, y);
    p[0] = colour.red;
    p[1] = colour.green;
    p[2] = colour.blue;
  }
  bool operator==(const Image&) const = default;
};

// A picture of few colours: a pixel is a place in `colours`.
struct IndexedImage {
  int width = 0, height = 0;
  std::vector<Colour> colours;
  std::vector<uint16_t> pixels;

  uint16_t* row(int y) { return pixels.data() + std::size_t(y) * width; }
  const uint16_t* row(int y) const { return pixels.data() + std::size_t(y) * width; }
  Image rgb() const;
};

}  // namespace kiln
