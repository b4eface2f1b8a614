// Animated PNG (APNG, a part of PNG since its third edition, W3C 2025): every browser plays it, and a viewer
// that knows only PNG shows the first frame.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "output/picture/image.hpp"

namespace kiln {

// Takes frames one at a time and keeps them compressed, each cropped to what changed since the one before.
class AnimationWriter {
 public:
  // At most 65 seconds per frame.
  explicit AnimationWriter(double seconds_per_frame);

  // All frames have the size of the first.
  void add(const Image& frame);

  int frames() const { return int(frames_.size()); }

  // Writes what was added so far; more frames may follow, for a later call.
  void finish(const std::filesystem::path& path) const;

 private:
  struct Frame {
    int left, top, width, height;
    std::string data;  // a zlib stream of filtered rows, as in IDAT
  };

  double seconds_per_frame_;
  Image last_;
  std::vector<Frame> frames_;
};

void write_apng(const std::vector<Image>& frames, const std::filesystem::path& path,
                double seconds_per_frame);

}  // namespace kiln
