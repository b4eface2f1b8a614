#include "data/png/image.hpp"

#ifdef KILN_HAS_PNG
#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdio>
#endif

#include "base/error.hpp"
#include "data/image/checks.hpp"

namespace kiln {

#ifdef KILN_HAS_PNG

namespace {

// libpng's handles, which close themselves. It reports errors by longjmp, so what calls it holds nothing that
// would have to be destroyed, and says false.
class PngFile {
 public:
  explicit PngFile(const std::filesystem::path& path) : name_(path.string()) {
    std::error_code error;
    file_bytes_ = double(std::filesystem::file_size(path, error));
    file_ = error ? nullptr : std::fopen(path.c_str(), "rb");
    if (file_ == nullptr) throw UserError(fmt::format("cannot read {}: it cannot be opened.", name_));
    png_byte start[8] = {};
    if (std::fread(start, 1, sizeof(start), file_) != sizeof(start) ||
        png_sig_cmp(start, 0, sizeof(start)) != 0) {
      close();
      throw UserError(fmt::format("{} is not a PNG file: it does not begin like one.", name_));
    }
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
    info_ = png_ == nullptr ? nullptr : png_create_info_struct(png_);
    if (info_ == nullptr || !read_info()) fail();
    check();
  }
  PngFile(const PngFile&) = delete;
  PngFile& operator=(const PngFile&) = delete;
  ~PngFile() { close(); }

  ImageHeader header() const {
    return {name_,
            {1, int64_t(png_get_image_height(png_, info_)), int64_t(png_get_image_width(png_, info_))},
            depth() == 16 ? Array::Element::uint16 : Array::Element::uint8,
            {}};
  }

  // Row by row into `rows`, once.
  void read(std::vector<png_bytep>& rows) {
    if (!read_rows(rows.data())) fail();
  }

 private:
  int depth() const { return png_get_bit_depth(png_, info_); }

  static void on_error(png_structp png, png_const_charp message) {
    static_cast<PngFile*>(png_get_error_ptr(png))->message_ = message;
    png_longjmp(png, 1);
  }
  static void on_warning(png_structp, png_const_charp) {}

  bool read_info() {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_init_io(png_, file_);
    png_set_sig_bytes(png_, 8);
    png_read_info(png_, info_);
    return true;
  }

  bool read_rows(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png_)) != 0) return false;
    png_set_packing(png_);  // a byte for each, however few bits it has
    if (std::endian::native == std::endian::little) png_set_swap(png_);
    if ((png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0) png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    png_read_image(png_, rows);
    png_read_end(png_, nullptr);
    return true;
  }

  void check() {
    const png_byte colours = png_get_color_type(png_, info_);
    if (colours != PNG_COLOR_TYPE_PALETTE && (colours & PNG_COLOR_MASK_COLOR) != 0)
      refuse(fmt::format("{} is a picture in colours (RGB); allowed are grey values and palettes.", name_));
    const double width = double(png_get_image_width(png_, info_)),
                 height = double(png_get_image_height(png_, info_));
    constexpr double kMostOfDeflate = 1032;  // the limit of the format
    if (width * height * depth() / 8 > file_bytes_ * kMostOfDeflate)
      refuse(fmt::format("cannot read {}: it is cut short: it cannot hold {} x {} pixels.", name_, width,
                         height));
  }

  [[noreturn]] void refuse(const std::string& sentence) {
    close();  // the destructor does not run where the constructor throws
    throw UserError(sentence);
  }
  [[noreturn]] void fail() {
    refuse(fmt::format("cannot read {}: it is damaged{}{}.", name_, message_.empty() ? "" : ": ", message_));
  }

  void close() {
    if (png_ != nullptr) png_destroy_read_struct(&png_, &info_, nullptr);
    if (file_ != nullptr) std::fclose(file_);
    file_ = nullptr;
  }

  std::string name_, message_;
  double file_bytes_ = 0;
  std::FILE* file_ = nullptr;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

class PngSource : public ImageSource {
 public:
  explicit PngSource(const std::filesystem::path& path) : ImageSource(PngFile(path).header()), path_(path) {}

 private:
  void append(int64_t, int64_t, std::size_t size, std::vector<unsigned char>& bytes) override {
    PngFile file(path_);
    if (file.header().zyx != header().zyx || file.header().element != header().element)
      throw UserError(fmt::format("cannot read {}: it has just changed.", header().name));
    bytes.resize(size);
    const std::size_t height = std::size_t(header().zyx[1]), row = size / height;
    std::vector<png_bytep> rows;
    for (std::size_t y = 0; y < height; ++y) rows.push_back(bytes.data() + y * row);
    file.read(rows);
  }

  std::filesystem::path path_;
};

}  // namespace

bool can_read_png() { return true; }

std::unique_ptr<ImageSource> open_png(const std::filesystem::path& path, const ImagePart& part) {
  auto source = std::make_unique<PngSource>(path);
  check_choice(source->header().name, "channel", part.channel, 1);
  check_choice(source->header().name, "time", part.time, 1);
  return source;
}

#else

bool can_read_png() { return false; }

std::unique_ptr<ImageSource> open_png(const std::filesystem::path&, const ImagePart&) {
  throw Failure("this build of Kiln cannot read PNG files; install libpng-dev and rebuild.");
}

#endif

}  // namespace kiln
