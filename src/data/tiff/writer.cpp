#ifdef KILN_HAS_TIFF
#include "data/tiff/writer.hpp"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "data/hdf5/deflate.hpp"
#include "data/tiff/open.hpp"

namespace kiln {
namespace {

constexpr double kBigTiff = 4e9;          // bytes
constexpr int64_t kStripBytes = 1 << 18;  // what a processor compresses at a time
constexpr int kDeflateLevel = 3;

}  // namespace

TiffWriter::TiffWriter(const std::filesystem::path& path, Format format)
    : name_(path.string()), format_(std::move(format)), tiff_(nullptr, TIFFClose) {
  const Vec3i& size = format_.size;
  const double bytes = double(size.x) * size.y * size.z * format_.bytes;
  rows_per_strip_ =
      int32_t(std::clamp<int64_t>(kStripBytes / (int64_t(size.x) * format_.bytes), 1, std::max(size.y, 1)));
  errno = 0;
  tiff_.reset(open_tiff(name_.c_str(), bytes > kBigTiff ? "w8" : "w", *error_,
                        std::numeric_limits<std::size_t>::max()));
  if (tiff_ == nullptr) fail();
}

void TiffWriter::fail() const {
  const std::string reason = errno != 0 ? std::string(std::strerror(errno)) : *error_;
  throw Failure(fmt::format("cannot write {}{}{}.", name_, reason.empty() ? "" : ": ", reason));
}

void TiffWriter::set_tags() {
  TIFF* const file = tiff_.get();
  TIFFSetField(file, TIFFTAG_IMAGEWIDTH, uint32_t(format_.size.x));
  TIFFSetField(file, TIFFTAG_IMAGELENGTH, uint32_t(format_.size.y));
  TIFFSetField(file, TIFFTAG_BITSPERSAMPLE, 8 * format_.bytes);
  TIFFSetField(file, TIFFTAG_SAMPLESPERPIXEL, 1);
  TIFFSetField(file, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  TIFFSetField(file, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
  TIFFSetField(file, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(file, TIFFTAG_COMPRESSION, COMPRESSION_ADOBE_DEFLATE);
  TIFFSetField(file, TIFFTAG_ROWSPERSTRIP, uint32_t(rows_per_strip_));
  TIFFSetField(file, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
  TIFFSetField(file, TIFFTAG_XRESOLUTION, 1 / format_.voxel_um.x);
  TIFFSetField(file, TIFFTAG_YRESOLUTION, 1 / format_.voxel_um.y);
  if (std::exchange(first_, false) && !format_.description.empty())
    TIFFSetField(file, TIFFTAG_IMAGEDESCRIPTION, format_.description.c_str());
}

void TiffWriter::add_page(const void* pixels) {
  errno = 0;
  set_tags();
  const auto* bytes = static_cast<const uint8_t*>(pixels);
  const int64_t row = int64_t(format_.size.x) * format_.bytes, rows = rows_per_strip_;
  const int64_t strips = (format_.size.y + rows - 1) / rows;
  const auto size_of = [&](int64_t strip) {
    return std::size_t(std::min(rows, format_.size.y - strip * rows) * row);
  };
  const auto pack = [&](int64_t strip) {
    return deflated(bytes + strip * rows * row, size_of(strip), kDeflateLevel);
  };
  make_in_order(strips, pack, [&](int64_t strip, std::vector<uint8_t>& packed) {
    if (TIFFWriteRawStrip(tiff_.get(), uint32_t(strip), packed.data(), tmsize_t(packed.size())) < 0) fail();
  });
  if (TIFFWriteDirectory(tiff_.get()) != 1) fail();
}

}  // namespace kiln
#endif
