// Generated stacks that look as if they came from a microscope: a network of strands or vessels, blurred by
// the optics and speckled by the light.
#pragma once

#include "data/image/image.hpp"
#include "data/image/segment.hpp"

namespace kiln {

struct PhantomKind {
  const char* name;
  const char* what;
  double fraction;    // of the volume
  double radius_um;   // of strands
  double spacing_um;  // mean distance of nodes
};

// Sinusoids of the liver: vessels about 10 µm wide that take 24% of the volume. Reticulum of a lymph node:
// strands about 3 µm wide between nodes about 20 µm apart, 6% of the volume.
inline constexpr PhantomKind kPhantoms[] = {
    {"sinusoids", "vessels of the liver, 24% of the volume before they are blurred", 0.24, 4.5, 22},
    {"reticulum", "stromal network of a lymph node, 6% of the volume before it is blurred", 0.06, 1.5, 18},
};

struct PhantomSettings {
  Vec3d size_um{128, 128, 64};
  Vec3d voxel_um{0.5, 0.5, 1};
  double blur_um = 0.6;    // of the optics, across; three times that along z
  double background = 24;  // grey levels of 0 to 255
  double signal = 120;
  double noise = 1.5;  // standard deviation in units of that of counted photons
  uint64_t seed = 1;
};

// One phantom, with all that makes it.
struct PhantomSource {
  const PhantomKind* kind = &kPhantoms[0];
  PhantomSettings settings;
};

// Throws UserError where it would need more memory than there is.
Grid<uint8_t> phantom(const PhantomKind& kind, const PhantomSettings& settings);

// As if it had been read from a file.
ImageStack phantom_image(const PhantomSource& source);

}  // namespace kiln
