#include "output/picture/png.hpp"

#ifdef KILN_HAS_PNG
#include <fmt/format.h>
#include <png.h>
#endif

#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace kiln {

#ifdef KILN_HAS_PNG

namespace {

png_image describe(int width, int height) {
  png_image description{};
  description.version = PNG_IMAGE_VERSION;
  description.format = PNG_FORMAT_RGB;
  description.width = png_uint_32(width);
  description.height = png_uint_32(height);
  return description;
}

}  // namespace

std::vector<uint8_t> encode_png(const Image& image) {
  if (image.width < 1 || image.height < 1 || image.rgb.size() != image.offset(0, image.height))
    throw Failure(
        fmt::format("a picture of {} x {} pixels cannot be written as PNG.", image.width, image.height));
  png_image description = describe(image.width, image.height);
  std::vector<uint8_t> bytes(PNG_IMAGE_PNG_SIZE_MAX(description));
  png_alloc_size_t size = bytes.size();
  if (png_image_write_to_memory(&description, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0)
    throw Failure(fmt::format("libpng cannot compress a picture of {} x {} pixels: {}.", image.width,
                              image.height, description.message));
  bytes.resize(size);
  return bytes;
}

void write_png(const Image& image, const std::filesystem::path& path) {
  const std::vector<uint8_t> bytes = encode_png(image);
  write_text_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Image read_png(const std::filesystem::path& path) {
  png_image description = describe(0, 0);
  const auto refuse = [&] {
    const std::string reason = description.message;
    png_image_free(&description);
    return UserError(fmt::format("cannot read {} as a PNG picture: {}.", path.string(), reason));
  };
  if (png_image_begin_read_from_file(&description, path.c_str()) == 0) throw refuse();
  description.format = PNG_FORMAT_RGB;
  Image image(int(description.width), int(description.height));
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&description, &black, image.rgb.data(), 0, nullptr) == 0) throw refuse();
  return image;
}

#else

namespace {

[[noreturn]] void refuse() {
  throw Failure(
      "this build of Kiln has no PNG support: install the Debian or Ubuntu package libpng-dev and build "
      "again.");
}

}  // namespace

std::vector<uint8_t> encode_png(const Image&) { refuse(); }
void write_png(const Image&, const std::filesystem::path&) { refuse(); }
Image read_png(const std::filesystem::path&) { refuse(); }

#endif

}  // namespace kiln
