// Labels of cells as OME-TIFF: one page per plane, with the edges of a voxel, as Fiji, napari and others open
// it. https://docs.openmicroscopy.org/ome-model/latest/ome-tiff/specification.html
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "core/types.hpp"

namespace kiln {

struct LabelImage {
  // The labels of a plane, x fastest; asked for once each, by rising z.
  std::function<const uint32_t*(int32_t z)> plane;
  Vec3i size{0, 0, 0};
  Vec3d voxel_um{1, 1, 1};
  uint32_t largest = 0;  // no label is larger; up to 65,535 they are stored with 16 bits, else with 32
  std::string name;      // for people
};

// Appears whole or not at all. Throws a Failure that says what to install where this build has no TIFF.
void write_ome_tiff(const std::filesystem::path& path, const LabelImage& image);

}  // namespace kiln
