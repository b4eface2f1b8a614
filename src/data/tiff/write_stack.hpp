// Stacks of 8-bit voxels as files: .npy, or TIFF as ImageJ writes it, with the size of a voxel.
#pragma once

#include <filesystem>

#include "data/image/segment.hpp"

namespace kiln {

// By the name's ending: .npy, .tif or .tiff; anything else is a UserError. The file appears whole or not at
// all.
void write_stack(const std::filesystem::path& path, const Grid<uint8_t>& stack, const Vec3d& voxel_um);

}  // namespace kiln
