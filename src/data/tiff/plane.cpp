// The pixels of one page of a TIFF file.
#ifdef KILN_HAS_TIFF
#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "data/image/checks.hpp"
#include "data/tiff/file.hpp"

namespace kiln {
namespace {

uint16_t compression_of(TIFF* file) {
  uint16_t compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
  return compression;
}

bool samples_apart(TIFF* file) {
  uint16_t planar = PLANARCONFIG_CONTIG;
  TIFFGetFieldDefaulted(file, TIFFTAG_PLANARCONFIG, &planar);
  return planar == PLANARCONFIG_SEPARATE;
}

// One value of `Width` bytes out of every `stride` values.
template <std::size_t Width>
void pick(const unsigned char* from, std::size_t stride, int64_t count, unsigned char* to) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + std::size_t(i) * Width, from + std::size_t(i) * stride * Width, Width);
}

void pick(const unsigned char* from, std::size_t stride, int64_t count, std::size_t width,
          unsigned char* to) {
  if (stride == 1) {
    std::memcpy(to, from, std::size_t(count) * width);
    return;
  }
  switch (width) {
    case 1:
      return pick<1>(from, stride, count, to);
    case 2:
      return pick<2>(from, stride, count, to);
    case 4:
      return pick<4>(from, stride, count, to);
    default:
      return pick<8>(from, stride, count, to);
  }
}

// A byte for each value of fewer bits, of which the first lies in the highest ones.
void unpack(const unsigned char* from, std::size_t bits, std::size_t first, std::size_t stride, int64_t count,
            unsigned char* to) {
  const unsigned mask = (1u << bits) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const std::size_t at = (first + std::size_t(i) * stride) * bits;
    to[i] = static_cast<unsigned char>((unsigned(from[at / 8]) >> (8 - bits - at % 8)) & mask);
  }
}

// Pieces of this size are always decoded, however little memory the whole stack may take.
constexpr uint64_t kSmallBlock = uint64_t(16) << 20;

// Bytes at the start of a file where no pixels can be.
constexpr uint64_t kFileHeader = 8;

}  // namespace

// The pieces in which pixels are stored: strips, as wide as the page, or tiles.
struct TiffFile::Blocks {
  bool tiled = false;
  int64_t width = 0, height = 0;  // in pixels; the last strip may be lower, tiles are always whole
  std::size_t samples = 1;        // side by side in it
  std::size_t bits = 8;           // of a value
  std::size_t value_bytes = 1;    // of a value once it is unpacked

  // Rows begin at a byte.
  std::size_t bytes(int64_t rows) const {
    return std::size_t(rows) * ((std::size_t(width) * samples * bits + 7) / 8);
  }
};

void TiffFile::check_readable() const {
  TIFF* file = tiff_.get();
  const uint16_t compression = compression_of(file);
  if (!TIFFIsCODECConfigured(compression)) {
    const TIFFCodec* codec = TIFFFindCODEC(compression);
    fail(fmt::format("it is compressed by {}, which this build of libtiff does not know",
                     codec != nullptr ? codec->name : fmt::format("method {}", compression)));
  }
  // Entries of a palette are taken as they are: labels are often stored with colours to show them in.
  uint16_t meaning = PHOTOMETRIC_MINISBLACK;
  TIFFGetField(file, TIFFTAG_PHOTOMETRIC, &meaning);
  if (meaning == PHOTOMETRIC_YCBCR && compression == COMPRESSION_JPEG)
    TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  else if (meaning == PHOTOMETRIC_YCBCR || meaning == PHOTOMETRIC_LOGL || meaning == PHOTOMETRIC_LOGLUV)
    fail("its pixels are neither grey values nor RGB");
  uint32_t depth = 1;
  if (TIFFGetField(file, TIFFTAG_IMAGEDEPTH, &depth) && depth > 1)
    fail("its pages are volumes; allowed are pages of one slice each");
}

TiffFile::Blocks TiffFile::blocks() const {
  TIFF* file = tiff_.get();
  check_readable();
  const TiffFormat format = current_page().format;
  Blocks blocks;
  blocks.tiled = TIFFIsTiled(file) != 0;
  blocks.samples = samples_apart(file) ? 1 : std::size_t(format.samples);
  blocks.bits = std::size_t(format.bits);
  blocks.value_bytes = (blocks.bits + 7) / 8;
  uint32_t width = uint32_t(format.width), height = 0;
  if (blocks.tiled) {
    TIFFGetField(file, TIFFTAG_TILEWIDTH, &width);
    TIFFGetField(file, TIFFTAG_TILELENGTH, &height);
  } else {
    TIFFGetFieldDefaulted(file, TIFFTAG_ROWSPERSTRIP, &height);
    height = std::min(height, uint32_t(format.height));
  }
  blocks.width = width;
  blocks.height = height;
  // libtiff counts 0 where the product overflows. That the two agree rules out layouts we do not know of.
  const uint64_t bytes = blocks.tiled ? TIFFTileSize64(file) : TIFFVStripSize64(file, height);
  if (width == 0 || height == 0 || bytes == 0 || bytes != blocks.bytes(height))
    fail("its strips or tiles have no possible size");
  if (bytes > std::max<uint64_t>(most_bytes_, kSmallBlock) || double(bytes) > most_decoded_bytes())
    fail(fmt::format("a single {} of it is said to have {}", blocks.tiled ? "tile" : "strip",
                     bytes_text(double(bytes))));
  return blocks;
}

double TiffFile::most_decoded_bytes() const {
  const double bytes = double(file_bytes_);
  switch (compression_of(tiff_.get())) {
    case COMPRESSION_NONE:
      return bytes;
    case COMPRESSION_PACKBITS:
      return bytes * 64;  // 128 bytes from 2
    case COMPRESSION_LZW:
      return bytes * 4096;  // a code of 9 bits or more stands for fewer bytes than there are codes
    case COMPRESSION_DEFLATE:
    case COMPRESSION_ADOBE_DEFLATE:
      return bytes * 1032;  // the limit of the format
    default:
      return std::numeric_limits<double>::infinity();
  }
}

void TiffFile::read_block(const Blocks& blocks, uint32_t index, int64_t rows, unsigned char* to) const {
  const auto bytes = tmsize_t(blocks.bytes(rows));
  error_->clear();
  // libtiff takes a missing list for zeros, and would read pixels from the start of the file.
  if (TIFFGetStrileOffset(tiff_.get(), index) < kFileHeader)
    fail(fmt::format("it is damaged: it does not say where {} {} of a page lies",
                     blocks.tiled ? "tile" : "strip", index));
  const tmsize_t got = blocks.tiled ? TIFFReadEncodedTile(tiff_.get(), index, to, bytes)
                                    : TIFFReadEncodedStrip(tiff_.get(), index, to, bytes);
  if (got != bytes) fail("its pixels are damaged or cut short");
}

void TiffFile::append_plane(int sample, std::vector<unsigned char>& bytes) {
  const TiffFormat format = current_page().format;
  const Blocks blocks = this->blocks();
  const bool direct = !blocks.tiled && blocks.samples == 1 && blocks.bits >= 8;
  const auto plane = uint16_t(samples_apart(tiff_.get()) ? sample : 0);
  const std::size_t offset = blocks.samples == 1 ? 0 : std::size_t(sample) * blocks.value_bytes;
  const std::size_t row_bytes = std::size_t(format.width) * blocks.value_bytes, start = bytes.size();
  std::vector<unsigned char> block(direct ? 0 : blocks.bytes(blocks.height));
  for (int64_t y = 0; y < format.height; y += blocks.height) {
    const int64_t rows = std::min(blocks.height, format.height - y);
    const std::size_t band = bytes.size();
    bytes.resize(band + std::size_t(rows) * row_bytes);
    for (int64_t x = 0; x < format.width; x += blocks.width) {
      const uint32_t index = blocks.tiled ? TIFFComputeTile(tiff_.get(), uint32_t(x), uint32_t(y), 0, plane)
                                          : TIFFComputeStrip(tiff_.get(), uint32_t(y), plane);
      read_block(blocks, index, blocks.tiled ? blocks.height : rows, direct ? &bytes[band] : block.data());
      if (direct) continue;
      for (int64_t row = 0; row < rows; ++row) {
        const int64_t count = std::min(blocks.width, format.width - x);
        unsigned char* to = &bytes[band + std::size_t(row) * row_bytes + std::size_t(x) * blocks.value_bytes];
        if (blocks.bits < 8)
          unpack(&block[blocks.bytes(row)], blocks.bits, blocks.samples == 1 ? 0 : std::size_t(sample),
                 blocks.samples, count, to);
        else
          pick(&block[blocks.bytes(row) + offset], blocks.samples, count, blocks.value_bytes, to);
      }
    }
  }
  // Highest minus value, for signed and unsigned integers alike. Floats have no highest.
  if (white_is_zero() && format.kind != SAMPLEFORMAT_IEEEFP)
    for (std::size_t i = start; i < bytes.size(); ++i)
      bytes[i] = static_cast<unsigned char>(~bytes[i] & (blocks.bits < 8 ? (1u << blocks.bits) - 1 : 0xFFu));
}

std::optional<TiffFile::Raw> TiffFile::raw() const {
  TIFF* file = tiff_.get();
  if (compression_of(file) != COMPRESSION_NONE || TIFFIsTiled(file)) return std::nullopt;
  uint16_t fill_order = FILLORDER_MSB2LSB;
  TIFFGetFieldDefaulted(file, TIFFTAG_FILLORDER, &fill_order);
  if (fill_order != FILLORDER_MSB2LSB) return std::nullopt;
  for (uint32_t strip = 0; strip + 1 < TIFFNumberOfStrips(file); ++strip)
    if (TIFFGetStrileOffset(file, strip) + TIFFGetStrileByteCount(file, strip) !=
        TIFFGetStrileOffset(file, strip + 1))
      return std::nullopt;
  if (TIFFGetStrileOffset(file, 0) < kFileHeader) return std::nullopt;
  return Raw{TIFFGetStrileOffset(file, 0), TIFFIsByteSwapped(file) != 0};
}

}  // namespace kiln
#endif
