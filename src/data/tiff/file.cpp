#ifdef KILN_HAS_TIFF
#include "data/tiff/file.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "data/tiff/open.hpp"

namespace kiln {
namespace {

void check_magic(const std::filesystem::path& path, const std::string& name) {
  std::ifstream in(path, std::ios::binary);
  char start[4] = {};
  in.read(start, sizeof(start));
  if (!in && in.gcount() == 0 && !in.eof())
    throw UserError(fmt::format("cannot read {}: it cannot be opened.", name));
  for (const char* magic : {"II*\0", "MM\0*", "II+\0", "MM\0+"})
    if (std::memcmp(start, magic, sizeof(start)) == 0) return;
  throw UserError(fmt::format("{} is not a TIFF file: it does not begin like one.", name));
}

}  // namespace

std::optional<Array::Element> TiffFormat::element() const {
  using Element = Array::Element;
  struct Known {
    int kind, bits;
    Element element;
  };
  static constexpr Known kKnown[] = {
      {SAMPLEFORMAT_UINT, 1, Element::uint8},      {SAMPLEFORMAT_UINT, 2, Element::uint8},
      {SAMPLEFORMAT_UINT, 4, Element::uint8},      {SAMPLEFORMAT_UINT, 8, Element::uint8},
      {SAMPLEFORMAT_UINT, 16, Element::uint16},    {SAMPLEFORMAT_UINT, 32, Element::uint32},
      {SAMPLEFORMAT_UINT, 64, Element::uint64},    {SAMPLEFORMAT_INT, 8, Element::int8},
      {SAMPLEFORMAT_INT, 16, Element::int16},      {SAMPLEFORMAT_INT, 32, Element::int32},
      {SAMPLEFORMAT_INT, 64, Element::int64},      {SAMPLEFORMAT_IEEEFP, 32, Element::float32},
      {SAMPLEFORMAT_IEEEFP, 64, Element::float64},
  };
  for (const Known& known : kKnown)
    if (known.kind == kind && known.bits == bits) return known.element;
  return std::nullopt;
}

std::string TiffFormat::text() const {
  const char* name = kind == SAMPLEFORMAT_UINT     ? "unsigned integers"
                     : kind == SAMPLEFORMAT_INT    ? "signed integers"
                     : kind == SAMPLEFORMAT_IEEEFP ? "floats"
                                                   : "complex numbers";
  return fmt::format("{} x {} pixels of {}{}-bit {}", width, height,
                     samples == 1 ? "" : fmt::format("{} ", samples), bits, name);
}

TiffFile::TiffFile(const std::filesystem::path& path, std::size_t most_bytes)
    : name_(path.string()), most_bytes_(most_bytes), tiff_(nullptr, TIFFClose) {
  open(path);
  list_pages();
}

void TiffFile::open(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw UserError(
        fmt::format("cannot read {}: {}.", name_, error ? error.message() : std::string("it is not a file")));
  file_bytes_ = std::filesystem::file_size(path, error);
  if (error) throw UserError(fmt::format("cannot read {}: {}.", name_, error.message()));
  check_magic(path, name_);
  // Not mapped: a file that shrinks meanwhile would end the program. Large strips are not cut into small
  // ones, which would only make more of them. Lists of strips need some memory however small a stack may be.
  static constexpr std::size_t kForLists = std::size_t(64) << 20;
  tiff_.reset(open_tiff(name_.c_str(), "rmc", *error_, std::max(most_bytes_, kForLists)));
  if (tiff_ == nullptr) fail("it is damaged");
}

void TiffFile::fail(const std::string& what) const {
  const std::string reason = std::exchange(*error_, "");
  throw UserError(fmt::format("cannot read {}: {}{}{}.", name_, what, reason.empty() ? "" : ": ", reason));
}

TiffPage TiffFile::current_page() const {
  TIFF* file = tiff_.get();
  uint32_t width = 0, height = 0, subfile = 0;
  uint16_t samples = 1, bits = 1, kind = SAMPLEFORMAT_UINT;
  TIFFGetField(file, TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(file, TIFFTAG_IMAGELENGTH, &height);
  TIFFGetField(file, TIFFTAG_SUBFILETYPE, &subfile);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLESPERPIXEL, &samples);
  TIFFGetFieldDefaulted(file, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(file, TIFFTAG_SAMPLEFORMAT, &kind);
  if (kind == SAMPLEFORMAT_VOID) kind = SAMPLEFORMAT_UINT;  // "untyped" in the standard; integers in practice
  TiffPage page;
  page.offset = TIFFCurrentDirOffset(file);
  page.format = {int64_t(width), int64_t(height), samples, bits, kind};
  page.reduced = (subfile & (FILETYPE_REDUCEDIMAGE | FILETYPE_MASK)) != 0;
  return page;
}

void TiffFile::list_pages() {
  pages_.push_back(current_page());
  while (!TIFFLastDirectory(tiff_.get())) {
    error_->clear();
    // It looks for loops, too.
    if (!TIFFReadDirectory(tiff_.get()))
      fail(fmt::format("its list of pages is damaged after page {}", pages_.size()));
    pages_.push_back(current_page());
  }
  go_to(pages_.front());
}

void TiffFile::go_to(const TiffPage& page) {
  if (TIFFCurrentDirOffset(tiff_.get()) == page.offset) return;
  error_->clear();
  if (!TIFFSetSubDirectory(tiff_.get(), page.offset)) fail("a page is damaged");
}

std::string TiffFile::description() const {
  const char* text = nullptr;
  return TIFFGetField(tiff_.get(), TIFFTAG_IMAGEDESCRIPTION, &text) && text != nullptr ? text : "";
}

double TiffFile::pixels_per_unit(int axis) const {
  float value = 0;
  TIFFGetField(tiff_.get(), axis == 0 ? TIFFTAG_XRESOLUTION : TIFFTAG_YRESOLUTION, &value);
  return std::isfinite(value) && value > 0 ? double(value) : 0;
}

std::optional<double> TiffFile::resolution_unit_um() const {
  // The standard's default, inches, is not taken: programs that leave the unit out mean none.
  uint16_t unit = RESUNIT_NONE;
  TIFFGetField(tiff_.get(), TIFFTAG_RESOLUTIONUNIT, &unit);
  if (unit == RESUNIT_CENTIMETER) return 1e4;
  if (unit == RESUNIT_INCH) return 25400;
  return std::nullopt;
}

bool TiffFile::white_is_zero() const {
  uint16_t meaning = PHOTOMETRIC_MINISBLACK;
  TIFFGetField(tiff_.get(), TIFFTAG_PHOTOMETRIC, &meaning);
  return meaning == PHOTOMETRIC_MINISWHITE;
}

}  // namespace kiln
#endif
