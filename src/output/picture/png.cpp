#include "output/picture/png.hpp"

#ifdef KILN_HAS_PNG
#include <fmt/format.h>
#include <png.h>
#endif

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "output/picture/png_chunks.hpp"

namespace kiln {

std::string encode_png(const Image& image) { return png_file(png_parts(image)); }
std::string encode_png(const IndexedImage& image) { return png_file(png_parts(image)); }

void write_png(const Image& image, const std::filesystem::path& path) {
  write_text_atomically(path, encode_png(image));
}

#ifdef KILN_HAS_PNG

namespace {

// `begin` opens a description; `name` is what messages call the picture.
template <class Begin>
Image decode(const Begin& begin, const std::string& name) {
  png_image description{};
  description.version = PNG_IMAGE_VERSION;
  const auto refuse = [&] {
    const std::string reason = description.message;
    png_image_free(&description);
    return UserError(fmt::format("cannot read {} as a PNG picture: {}.", name, reason));
  };
  if (begin(&description) == 0) throw refuse();
  description.format = PNG_FORMAT_RGB;
  Image image(int(description.width), int(description.height));
  const png_color black{0, 0, 0};
  if (png_image_finish_read(&description, &black, image.rgb.data(), 0, nullptr) == 0) throw refuse();
  return image;
}

}  // namespace

Image read_png(const std::filesystem::path& path) {
  return decode([&](png_image* image) { return png_image_begin_read_from_file(image, path.c_str()); },
                path.string());
}

Image decode_png(std::string_view file) {
  return decode(
      [&](png_image* image) { return png_image_begin_read_from_memory(image, file.data(), file.size()); },
      "bytes in memory");
}

#else

Image read_png(const std::filesystem::path&) {
  throw Failure(
      "this build of Kiln has no PNG support: install the Debian or Ubuntu package libpng-dev and build "
      "again.");
}

Image decode_png(std::string_view) { return read_png({}); }

#endif

}  // namespace kiln
