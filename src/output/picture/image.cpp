#include "output/picture/image.hpp"

namespace kiln {

Image::Image(int image_width, int image_height, Colour fill)
    : width(image_width), height(image_height), rgb(std::size_t(image_width) * image_height * 3) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) set(x, y, fill);
}

}  // namespace kiln
