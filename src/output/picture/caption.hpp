// What stands below a picture: a scale bar, the time, the axes, and what the colours mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/model.hpp"
#include "output/picture/image.hpp"
#include "output/picture/lettering.hpp"
#include "output/picture/palette.hpp"

namespace kiln {

struct Caption {
  struct Entry {
    Colour colour;
    std::string name;
  };
  struct Axis {
    char name;
    Point along;  // in the picture, y down; at most 1 long
  };

  double um_per_pixel = 1;
  std::string time;
  std::vector<Axis> axes;
  std::vector<Entry> types;
  // What its light and its dark end stand for.
  struct Ramp {
    std::string name, low, high;
  };
  std::optional<Ramp> ramp;
};

// "10 h, 600 MCS"; without the time where a step has none, that is where `seconds_per_mcs` is left at 1. The
// unit suits the whole run, so that it stays the same in an animation.
std::string picture_time(const Model& model, int64_t mcs);

// All but the axes. Types are listed where there are two or more to tell apart.
Caption caption_of(const PictureSettings& settings, const Model& model, const Palette& palette, int64_t mcs,
                   double um_per_pixel);

// A white strip as wide as the picture, with colours of `palette` and of ink alone. Of no height where a
// picture is too small for legible words (under 200 pixels).
Image caption_strip(int width, const Caption& caption);

}  // namespace kiln
