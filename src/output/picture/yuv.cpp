#include "output/picture/yuv.hpp"

#include <algorithm>

namespace kiln {
namespace {

// Weights of red, green and blue, in units of 2^-16.
struct Weights {
  int32_t red, green, blue;
};
constexpr Weights kBrightness{11966, 40254, 4064}, kBlueness{-6596, -22188, 28784},
    kRedness{28784, -26145, -2639};
constexpr int32_t kHalf = 1 << 15;

int32_t weighted(const Weights& w, int32_t red, int32_t green, int32_t blue) {
  return w.red * red + w.green * green + w.blue * blue;
}

}  // namespace

// In loops that compilers vectorise.
YuvImage yuv_of(const Image& image) {
  YuvImage result{even_size(image.width), even_size(image.height), {}};
  const std::size_t width = std::size_t(result.width), pixels = width * std::size_t(result.height);
  result.planes.resize(pixels * 3 / 2);
  uint8_t* const bright = result.planes.data();
  uint8_t* const blue = bright + pixels;
  uint8_t* const red = blue + pixels / 4;
  std::vector<uint8_t> rows[2];
  for (int y = 0; y < result.height; ++y) {
    std::vector<uint8_t>& row = rows[y % 2];
    const uint8_t* from = image.rgb.data() + image.offset(0, std::min(y, image.height - 1));
    row.assign(from, from + 3 * image.width);
    if (image.width % 2 != 0) row.insert(row.end(), row.end() - 3, row.end());
    const uint8_t* p = row.data();
    uint8_t* const to = bright + std::size_t(y) * width;
    for (std::size_t x = 0; x < width; ++x)
      to[x] = uint8_t(16 + ((weighted(kBrightness, p[3 * x], p[3 * x + 1], p[3 * x + 2]) + kHalf) >> 16));
    if (y % 2 == 0) continue;
    const uint8_t* above = rows[0].data();
    const std::size_t first = std::size_t(y / 2) * (width / 2);
    for (std::size_t x = 0; x < width / 2; ++x) {
      const auto sum = [&](std::size_t k) {
        return above[6 * x + k] + above[6 * x + 3 + k] + p[6 * x + k] + p[6 * x + 3 + k];
      };
      const int32_t r = sum(0), g = sum(1), b = sum(2);
      blue[first + x] = uint8_t(128 + ((weighted(kBlueness, r, g, b) + 4 * kHalf) >> 18));
      red[first + x] = uint8_t(128 + ((weighted(kRedness, r, g, b) + 4 * kHalf) >> 18));
    }
  }
  return result;
}

}  // namespace kiln
