// Images that other programs have written (tests/data/make_images.py), and the values that are in them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "data/hdf5/file.hpp"
#include "data/image/image.hpp"
#include "support/python.hpp"

namespace kiln {

// All of an image.
inline ImageStack read_image(const std::filesystem::path& path, const ImagePart& part,
                             std::size_t most_bytes) {
  const std::unique_ptr<ImageSource> source = open_image(path, part, most_bytes);
  const ImageHeader& header = source->header();
  return {source->planes(0, header.zyx[0], most_bytes), header.voxel_um};
}

}  // namespace kiln

namespace kiln::image_files {

inline constexpr std::size_t kPlenty = std::size_t(1) << 30;

// A folder that goes away with the program, with the images in it if they could be made.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::path(testing::TempDir()) / ("kiln_images_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
    exit_code_ = run_python("data/make_images.py", {path_.string()});
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  int exit_code() const { return exit_code_; }

 private:
  std::filesystem::path path_;
  int exit_code_ = 0;
};

inline const Folder& folder() {
  static const Folder made;
  return made;
}

inline std::filesystem::path path_of(const std::string& name) { return folder().path() / name; }

// A test of images that other programs make. Skipped where these programs are missing, but not in CI.
class WithImages : public testing::Test {
 protected:
  void SetUp() override {
#ifndef KILN_HAS_TIFF
    GTEST_SKIP() << "needs libtiff and pugixml";
#endif
    if (!kHasHdf5) GTEST_SKIP() << "needs HDF5";
    const int code = folder().exit_code();
    if (python_is_missing(code) && may_skip())
      GTEST_SKIP() << "needs /usr/bin/python3 with tifffile, h5py and numpy";
    ASSERT_EQ(code, 0) << "tests/data/make_images.py failed";
  }
};

inline ImageStack read(const std::string& name, const ImagePart& part = {}) {
  return read_image(path_of(name), part, kPlenty);
}

inline std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

inline void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The formula of make_images.py, before it is scaled to the type.
struct Voxel {
  int64_t t, c, z, y, x;
};

inline int64_t small_value(const Voxel& at) {
  return (71 * at.t + 53 * at.c + 29 * at.z + 13 * at.y + 7 * at.x) % 251;
}

inline double value_of(Array::Element element, const Voxel& at) {
  using Element = Array::Element;
  const double v = double(small_value(at)), centred = v - 125;
  switch (element) {
    case Element::uint8:
      return v;
    case Element::int8:
      return centred;
    case Element::uint16:
      return v * 257;
    case Element::int16:
      return centred * 257;
    case Element::uint32:
      return v * 16777259;
    case Element::int32:
      return centred * 16777259;
    case Element::uint64:
      return v * double(int64_t(1) << 54);
    case Element::int64:
      return centred * double(int64_t(1) << 54);
    default:
      return centred / 8;
  }
}

// Every value of an image, which is of this shape and element and starts at `first` of the formula.
inline void expect_values(const ImageStack& image, const std::vector<int64_t>& shape, Array::Element element,
                          const Voxel& first = {0, 0, 0, 0, 0}) {
  ASSERT_EQ(image.values.shape, shape);
  ASSERT_EQ(image.values.element, element);
  ASSERT_EQ(image.values.size(), std::size_t(shape[0] * shape[1] * shape[2]));
  std::size_t index = 0;
  for (int64_t z = 0; z < shape[0]; ++z)
    for (int64_t y = 0; y < shape[1]; ++y)
      for (int64_t x = 0; x < shape[2]; ++x) {
        const Voxel at{first.t, first.c, first.z + z, first.y + y, first.x + x};
        ASSERT_EQ(image.values.real(index++), value_of(element, at)) << z << ' ' << y << ' ' << x;
      }
}

// Resolutions are stored as fractions, and libtiff gives them as single-precision numbers.
inline void expect_voxel(const ImageStack& image, const Vec3d& edges) {
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_NEAR(image.voxel_um[axis], edges[axis], 1e-6 * edges[axis]) << axis;
}

}  // namespace kiln::image_files
