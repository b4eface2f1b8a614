#include "output/picture/animation.hpp"

#include <fmt/format.h>
#ifdef KILN_HAS_PNG
#include <zlib.h>
#endif

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "output/picture/png.hpp"

namespace kiln {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);

void append_number(std::string& out, uint32_t value, int bytes = 4) {
  for (int i = bytes - 1; i >= 0; --i) out += char(uint8_t(value >> (8 * i)));
}

uint32_t number_at(std::string_view bytes) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | uint8_t(bytes[i]);
  return value;
}

uint32_t checksum([[maybe_unused]] std::string_view bytes) {
#ifdef KILN_HAS_PNG
  return uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
#else
  return 0;  // never reached: no frame can be added without libpng
#endif
}

void append_chunk(std::string& out, std::string_view name, std::string_view data) {
  append_number(out, uint32_t(data.size()));
  const std::size_t start = out.size();
  out += name;
  out += data;
  append_number(out, checksum(std::string_view(out).substr(start)));
}

// libpng filters and compresses a frame as a file of its own; its IDAT chunks joined are the frame's data.
std::string compressed_pixels(const Image& image) {
  const std::vector<uint8_t> file = encode_png(image);
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  std::string data;
  for (std::size_t at = kSignature.size(); at + 12 <= bytes.size();) {
    const uint32_t length = number_at(bytes.substr(at));
    if (bytes.substr(at + 4, 4) == "IDAT") data += bytes.substr(at + 8, length);
    at += 12 + std::size_t(length);
  }
  return data;
}

Image crop(const Image& image, int left, int top, int width, int height) {
  Image part(width, height);
  for (int y = 0; y < height; ++y)
    std::memcpy(part.rgb.data() + part.offset(0, y), image.rgb.data() + image.offset(left, top + y),
                std::size_t(width) * 3);
  return part;
}

struct Box {
  int left, top, right, bottom;  // right and bottom are one past
};

// The smallest box that holds every pixel in which two frames differ; one pixel where they are the same.
Box changed_box(const Image& a, const Image& b) {
  Box box{a.width, a.height, 0, 0};
  for (int y = 0; y < a.height; ++y) {
    const auto row_a = a.rgb.begin() + std::ptrdiff_t(a.offset(0, y));
    const auto row_b = b.rgb.begin() + std::ptrdiff_t(b.offset(0, y));
    const auto row_end = row_a + std::ptrdiff_t(a.width) * 3;
    const auto first = std::mismatch(row_a, row_end, row_b).first;
    if (first == row_end) continue;
    std::ptrdiff_t last = row_end - row_a - 1;
    while (row_a[last] == row_b[last]) --last;
    box.left = std::min(box.left, int((first - row_a) / 3));
    box.right = std::max(box.right, int(last / 3) + 1);
    box.top = std::min(box.top, y);
    box.bottom = y + 1;
  }
  return box.bottom == 0 ? Box{0, 0, 1, 1} : box;
}

}  // namespace

AnimationWriter::AnimationWriter(double seconds_per_frame) : seconds_per_frame_(seconds_per_frame) {
  if (!(seconds_per_frame >= 0 && seconds_per_frame <= 65))
    throw UserError(fmt::format("a frame of an animation cannot last {} seconds: 0 to 65 is allowed.",
                                seconds_per_frame));
}

void AnimationWriter::add(const Image& frame) {
  if (frames_.empty()) {
    frames_.push_back({0, 0, frame.width, frame.height, compressed_pixels(frame)});
  } else {
    if (frame.width != last_.width || frame.height != last_.height)
      throw Failure(fmt::format("a frame of {} x {} pixels does not fit an animation of {} x {}.",
                                frame.width, frame.height, last_.width, last_.height));
    const Box box = changed_box(last_, frame);
    const int width = box.right - box.left, height = box.bottom - box.top;
    frames_.push_back(
        {box.left, box.top, width, height, compressed_pixels(crop(frame, box.left, box.top, width, height))});
  }
  last_ = frame;
}

void AnimationWriter::finish(const std::filesystem::path& path) const {
  if (frames_.empty())
    throw Failure(fmt::format("cannot write {}: an animation needs at least one frame.", path.string()));
  std::string out(kSignature);
  std::string chunk;
  append_number(chunk, uint32_t(last_.width));
  append_number(chunk, uint32_t(last_.height));
  chunk +=
      std::string_view("\x08\x02\x00\x00\x00", 5);  // 8 bits, RGB, deflate, adaptive filters, not interlaced
  append_chunk(out, "IHDR", chunk);
  append_chunk(out, "sRGB", std::string_view("\0", 1));
  chunk.clear();
  append_number(chunk, uint32_t(frames_.size()));
  append_number(chunk, 0);  // plays for ever
  append_chunk(out, "acTL", chunk);

  uint32_t sequence = 0;
  for (const Frame& frame : frames_) {
    chunk.clear();
    append_number(chunk, sequence++);
    for (const int value : {frame.width, frame.height, frame.left, frame.top})
      append_number(chunk, uint32_t(value));
    append_number(chunk, uint32_t(seconds_per_frame_ * 1000 + 0.5), 2);
    append_number(chunk, 1000, 2);
    chunk += std::string_view("\0\0", 2);  // the frame stays, and the next one overwrites its box
    append_chunk(out, "fcTL", chunk);
    if (&frame == &frames_.front()) {
      append_chunk(out, "IDAT", frame.data);
    } else {
      chunk.clear();
      append_number(chunk, sequence++);
      append_chunk(out, "fdAT", chunk + frame.data);
    }
  }
  append_chunk(out, "IEND", {});
  write_text_atomically(path, out);
}

void write_apng(const std::vector<Image>& frames, const std::filesystem::path& path,
                double seconds_per_frame) {
  AnimationWriter writer(seconds_per_frame);
  for (const Image& frame : frames) writer.add(frame);
  writer.finish(path);
}

}  // namespace kiln
