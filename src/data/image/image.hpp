// Images from a microscope, or anything that looks like one: a stack of one channel, with the edges of its
// voxels where the file tells them.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

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

struct ImageHeader {
  std::string name;  // in messages
  std::array<int64_t, 3> zyx{0, 0, 0};
  Array::Element element = Array::Element::uint8;
  Vec3d voxel_um{0, 0, 0};
  // Edges of a voxel in a unit that the file does not name: enough to keep its proportions. 0: not given.
  Vec3d voxel_ratio{0, 0, 0};
  int64_t channels = 1, times = 1;  // in the file, of which one is read
  bool colours = false;             // the channels are red, green and blue
};

// An image of which only the header has been read. Planes come when they are asked for, so that a stack may
// be larger than memory.
class ImageSource {
 public:
  explicit ImageSource(ImageHeader header) : header_(std::move(header)) {}
  ImageSource(const ImageSource&) = delete;
  ImageSource& operator=(const ImageSource&) = delete;
  virtual ~ImageSource() = default;

  const ImageHeader& header() const { return header_; }
  // The planes first <= z < end. Throws UserError where they are damaged or would not fit into `most_bytes`.
  Array planes(int64_t first, int64_t end, std::size_t most_bytes);

 private:
  // Adds them to an empty `bytes`, of which `size` are wanted.
  virtual void append(int64_t first, int64_t end, std::size_t size, std::vector<unsigned char>& bytes) = 0;

  ImageHeader header_;
};

// Opens a .npy array, a TIFF file (.tif, .tiff), a PNG (grey or with a palette), a dataset of an HDF5 file
// (.h5, .hdf5), or a folder of numbered TIFF slices; two axes count as one slice. Throws UserError, naming
// the file, where it cannot be read, is damaged, holds nothing of the kind, or is stored in pieces that do
// not fit into `most_bytes` of memory.
std::unique_ptr<ImageSource> open_image(const std::filesystem::path& path, const ImagePart& part,
                                        std::size_t most_bytes);
// One that is in memory already.
std::unique_ptr<ImageSource> image_in_memory(ImageStack image, std::string name);

}  // namespace kiln
