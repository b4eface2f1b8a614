// Images from a microscope, or anything that looks like one: a stack of one channel, with the edges of its
// voxels where the file tells them.
#pragma once

#include <filesystem>
#include <string>

#include "data/array.hpp"

namespace kiln {

#ifdef KILN_HAS_TIFF
inline constexpr bool kHasTiff = true;
#else
inline constexpr bool kHasTiff = false;
#endif

struct ImageStack {
  Array values;             // of shape (z, y, x)
  Vec3d voxel_um{0, 0, 0};  // edges of a voxel; 0 along an axis for which the file gives none
};

// Which part of a file.
struct ImagePart {
  int channel = 0;        // of several, counted from 0
  int time = 0;           // of a series
  std::string dataset{};  // of an HDF5 file; may be left out where it has only one
};

// Reads a .npy array, a TIFF file (.tif, .tiff), a dataset of an HDF5 file (.h5, .hdf5), or a folder of
// numbered TIFF slices; two axes count as one slice. Throws UserError, naming the file, where it cannot be
// read, is damaged, holds nothing of the kind, or would not fit into `most_bytes` of memory.
ImageStack read_image(const std::filesystem::path& path, const ImagePart& part, std::size_t most_bytes);

}  // namespace kiln
