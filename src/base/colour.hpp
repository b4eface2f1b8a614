// A colour of a picture, as screens have it (sRGB).
#pragma once

#include <cstdint>

namespace kiln {

struct Colour {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Colour&) const = default;
};

}  // namespace kiln
