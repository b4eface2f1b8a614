#include "output/picture/png_chunks.hpp"

#include <fmt/format.h>
#ifdef KILN_HAS_PNG
#include <zlib.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace kiln {
namespace {

uint32_t number_at(std::string_view bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | uint8_t(bytes[i]);
  return value;
}

#ifdef KILN_HAS_PNG

uint32_t checksum(std::string_view bytes) {
  return uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// Takes filtered rows one at a time.
class Deflater {
 public:
  Deflater() {
    if (deflateInit2(&stream_, 1, Z_DEFLATED, 15, 8, Z_RLE) != Z_OK)
      throw Failure("zlib cannot be started: memory does not suffice.");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(const uint8_t* bytes, std::size_t count) {
    stream_.next_in = const_cast<Bytef*>(bytes);
    stream_.avail_in = uInt(count);
    while (stream_.avail_in > 0) run(Z_NO_FLUSH);
  }
  std::string finish() {
    while (run(Z_FINISH) != Z_STREAM_END) {
    }
    out_.resize(stream_.total_out);
    return std::move(out_);
  }

 private:
  int run(int flush) {
    if (out_.size() < stream_.total_out + kRoom) out_.resize(2 * out_.size() + kRoom);
    stream_.next_out = reinterpret_cast<Bytef*>(out_.data()) + stream_.total_out;
    stream_.avail_out = uInt(kRoom);
    return deflate(&stream_, flush);
  }

  static constexpr std::size_t kRoom = 1 << 16;
  z_stream stream_{};
  std::string out_;
};

#else

constexpr const char* kMissing =
    "this build of Kiln has no PNG support: install the Debian or Ubuntu package libpng-dev and build again.";

uint32_t checksum(std::string_view) { return 0; }  // never reached: nothing can be compressed

class Deflater {
 public:
  Deflater() { throw Failure(kMissing); }
  void add(const uint8_t*, std::size_t) {}
  std::string finish() { return {}; }
};

#endif

enum Filter : uint8_t { kNone = 0, kUp = 2, kPaeth = 4 };

// What PNG calls Paeth: the neighbour nearest to left + up - corner.
int paeth(int left, int up, int corner) {
  const int a = std::abs(up - corner), b = std::abs(left - corner), c = std::abs(left + up - 2 * corner);
  return a <= b && a <= c ? left : b <= c ? up : corner;
}

// Three bytes per pixel; of two filters the one that leaves smaller numbers.
std::string filtered_rgb(const Image& image) {
  const std::size_t bytes = std::size_t(image.width) * 3;
  std::vector<uint8_t> above(bytes), by_up(bytes + 1), by_paeth(bytes + 1);
  by_up[0] = kUp;
  by_paeth[0] = kPaeth;
  Deflater deflater;
  const auto size = [](uint8_t value) { return value < 128 ? value : 256 - value; };
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = image.rgb.data() + image.offset(0, y);
    int64_t up_sum = 0, paeth_sum = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      const int left = i >= 3 ? row[i - 3] : 0, corner = i >= 3 ? above[i - 3] : 0;
      by_up[i + 1] = uint8_t(row[i] - above[i]);
      by_paeth[i + 1] = uint8_t(row[i] - paeth(left, above[i], corner));
      up_sum += size(by_up[i + 1]);
      paeth_sum += size(by_paeth[i + 1]);
    }
    deflater.add(paeth_sum < up_sum ? by_paeth.data() : by_up.data(), bytes + 1);
    std::copy(row, row + bytes, above.begin());
  }
  return deflater.finish();
}

std::string filtered_indices(const IndexedImage& image) {
  const auto width = std::size_t(image.width);
  std::vector<uint8_t> filtered(width + 1);
  filtered[0] = kUp;
  const std::vector<uint16_t> nothing(width);
  Deflater deflater;
  for (int y = 0; y < image.height; ++y) {
    const uint16_t *row = image.row(y), *above = y > 0 ? image.row(y - 1) : nothing.data();
    for (std::size_t x = 0; x < width; ++x) filtered[x + 1] = uint8_t(row[x] - above[x]);
    deflater.add(filtered.data(), filtered.size());
  }
  return deflater.finish();
}

std::string head_of(int width, int height, const std::vector<Colour>& colours) {
  const bool indexed = !colours.empty();
  std::string head, chunk;
  append_number(chunk, uint32_t(width));
  append_number(chunk, uint32_t(height));
  chunk += '\x08';                               // bits per channel
  chunk += indexed ? '\x03' : '\x02';            // a palette, or RGB
  chunk += std::string_view("\x00\x00\x00", 3);  // deflate, adaptive filters, not interlaced
  append_chunk(head, "IHDR", chunk);
  append_chunk(head, "sRGB", std::string_view("\0", 1));
  chunk.clear();
  for (const Colour& c : colours) chunk += {char(c.red), char(c.green), char(c.blue)};
  if (indexed) append_chunk(head, "PLTE", chunk);
  return head;
}

void check_size(int width, int height, bool complete) {
  if (width < 1 || height < 1 || !complete)
    throw Failure(fmt::format("a picture of {} x {} pixels cannot be written as PNG.", width, height));
}

}  // namespace

void append_number(std::string& out, uint32_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) out += char(uint8_t(value >> (8 * i)));
}

void append_chunk(std::string& out, std::string_view name, std::string_view data) {
  append_number(out, uint32_t(data.size()));
  const std::size_t start = out.size();
  out += name;
  out += data;
  append_number(out, checksum(std::string_view(out).substr(start)));
}

PngParts png_parts(const Image& image) {
  check_size(image.width, image.height, image.rgb.size() == image.offset(0, image.height));
  std::string pixels = filtered_rgb(image);
  return {image.width, image.height, head_of(image.width, image.height, {}), std::move(pixels)};
}

PngParts png_parts(const IndexedImage& image) {
  constexpr std::size_t kMostColours = 256;
  if (image.colours.size() > kMostColours) return png_parts(image.rgb());
  check_size(image.width, image.height, image.pixels.size() == std::size_t(image.width) * image.height);
  std::string pixels = filtered_indices(image);
  return {image.width, image.height, head_of(image.width, image.height, image.colours), std::move(pixels)};
}

std::string png_file(const PngParts& parts) {
  std::string file(kPngSignature);
  file += parts.head;
  append_chunk(file, "IDAT", parts.pixels);
  append_chunk(file, "IEND", {});
  return file;
}

PngParts parts_of_png(std::string_view file) {
  PngParts parts;
  if (file.substr(0, kPngSignature.size()) != kPngSignature) return parts;
  for (std::size_t at = kPngSignature.size(); at + 12 <= file.size();) {
    const std::size_t length = number_at(file.substr(at));
    if (length > file.size() - at - 12) return {};
    const std::string_view name = file.substr(at + 4, 4), data = file.substr(at + 8, length);
    if (name == "IHDR" && length == 13) {
      parts.width = int(number_at(data));
      parts.height = int(number_at(data.substr(4)));
    }
    if (name == "IDAT")
      parts.pixels += data;
    else if (parts.pixels.empty())
      parts.head += file.substr(at, length + 12);
    at += 12 + length;
  }
  return parts;
}

}  // namespace kiln
