// Animated PNG (APNG, a part of PNG since its third edition, W3C 2025): every browser plays it, and a viewer
// that knows only PNG shows the first frame.
//
// Frames are pictures as they lie in their own PNG files, compressed once; an animation only puts them
// together.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "output/picture/image.hpp"
#include "output/picture/png_chunks.hpp"

namespace kiln {

class AnimationWriter {
 public:
  // At most 65 seconds per frame.
  explicit AnimationWriter(double seconds_per_frame);

  void add(PngParts frame);
  // A picture that Kiln has written, read when the animation is; so that a long run needs no memory for it.
  void add_file(std::filesystem::path still);

  int frames() const { return int(frames_.size()); }
  double seconds_per_frame() const { return seconds_per_frame_; }
  // None where the file is gone, or is not one of Kiln's.
  std::optional<PngParts> frame(int number) const;

  // Writes what was added so far; more frames may follow, for a later call. Frames of another size or palette
  // than the first, and those whose file is gone, are left out; returns how many. A Failure where none is
  // left.
  int finish(const std::filesystem::path& path) const;

 private:
  double seconds_per_frame_;
  std::vector<std::variant<PngParts, std::filesystem::path>> frames_;
};

}  // namespace kiln
