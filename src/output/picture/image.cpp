#include "output/picture/image.hpp"

namespace kiln {

Image::Image(int image_width, int image_height, Colour fill)
    : width(image_width), height(image_height), rgb(std::size_t(image_width) * image_height * 3) {
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) set(x, y, fill);
}

Image IndexedImage::rgb() const {
  Image image;
  image.width = width;
  image.height = height;
  image.rgb.resize(pixels.size() * 3);
  uint8_t* out = image.rgb.data();
  for (const uint16_t pixel : pixels) {
    const Colour c = colours[pixel];
    *out++ = c.red;
    *out++ = c.green;
    *out++ = c.blue;
  }
  return image;
}

}  // namespace kiln
