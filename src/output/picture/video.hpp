// Animations as MP4, for slides: by the program ffmpeg, where it is installed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "output/picture/animation.hpp"

namespace kiln {

// H.264, or what ffmpeg has instead, in yuv420p: players on all systems know it. Returns why there is no
// file, as the rest of a sentence, where that is so: without ffmpeg, or where it fails.
std::optional<std::string> write_mp4(const AnimationWriter& animation, const std::filesystem::path& path);

}  // namespace kiln
