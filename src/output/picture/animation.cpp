#include "output/picture/animation.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

#include "base/atomic_file.hpp"
#include "base/bytes_of_file.hpp"
#include "base/error.hpp"

namespace kiln {
namespace {

// The size, the time and the number of a frame.
std::string frame_control(const PngParts& frame, uint32_t sequence, double seconds) {
  std::string chunk;
  append_number(chunk, sequence);
  for (const int value : {frame.width, frame.height, 0, 0}) append_number(chunk, uint32_t(value));
  append_number(chunk, uint32_t(seconds * 1000 + 0.5), 2);
  append_number(chunk, 1000, 2);
  chunk += std::string_view("\0\0", 2);  // the frame stays, and the next one overwrites it
  return chunk;
}

std::string animation_control(int frames) {
  std::string chunk, out;
  append_number(chunk, uint32_t(frames));
  append_number(chunk, 0);  // plays for ever
  append_chunk(out, "acTL", chunk);
  return out;
}

// Puts frames into a file one at a time.
class ApngFile {
 public:
  ApngFile(const std::filesystem::path& path, double seconds)
      : out_(path, std::ios::binary), seconds_(seconds) {}

  bool fits(const PngParts& frame) const { return frames_ == 0 || frame.head == head_; }
  int frames() const { return frames_; }

  void add(const PngParts& frame) {
    std::string bytes;
    if (frames_ == 0) {
      head_ = frame.head;
      bytes = std::string(kPngSignature) + head_ + animation_control(0);
    }
    append_chunk(bytes, "fcTL", frame_control(frame, sequence_++, seconds_));
    if (frames_ == 0) {
      append_chunk(bytes, "IDAT", frame.pixels);
    } else {
      std::string chunk;
      append_number(chunk, sequence_++);
      append_chunk(bytes, "fdAT", chunk + frame.pixels);
    }
    ++frames_;
    out_ << bytes;
  }

  // False where the disk is full.
  bool finish() {
    std::string end;
    append_chunk(end, "IEND", {});
    out_ << end;
    out_.seekp(std::streamoff(kPngSignature.size() + head_.size()));
    out_ << animation_control(frames_);
    out_.close();
    return bool(out_);
  }

 private:
  std::ofstream out_;
  double seconds_;
  std::string head_;
  int frames_ = 0;
  uint32_t sequence_ = 0;
};

}  // namespace

AnimationWriter::AnimationWriter(double seconds_per_frame) : seconds_per_frame_(seconds_per_frame) {
  if (!(seconds_per_frame >= 0 && seconds_per_frame <= 65))
    throw UserError(fmt::format("a frame of an animation cannot last {} seconds: 0 to 65 is allowed.",
                                seconds_per_frame));
}

void AnimationWriter::add(PngParts frame) { frames_.emplace_back(std::move(frame)); }

void AnimationWriter::add_file(std::filesystem::path still) { frames_.emplace_back(std::move(still)); }

std::optional<PngParts> AnimationWriter::frame(int number) const {
  const auto& stored = frames_[std::size_t(number)];
  if (const auto* parts = std::get_if<PngParts>(&stored)) return *parts;
  PngParts parts = parts_of_png(bytes_of_file(std::get<std::filesystem::path>(stored)));
  if (parts.pixels.empty()) return std::nullopt;
  return parts;
}

int AnimationWriter::finish(const std::filesystem::path& path) const {
  int left_out = 0;
  write_atomically(path, [&](const std::filesystem::path& temporary) {
    ApngFile file(temporary, seconds_per_frame_);
    for (int i = 0; i < frames(); ++i) {
      const std::optional<PngParts> parts = frame(i);
      if (parts && file.fits(*parts))
        file.add(*parts);
      else
        ++left_out;
    }
    if (file.frames() == 0)
      throw Failure(
          fmt::format("cannot write {}: an animation needs at least one frame.", temporary.string()));
    if (!file.finish()) throw Failure(fmt::format("cannot write {}: is the disk full?", temporary.string()));
  });
  return left_out;
}

}  // namespace kiln
