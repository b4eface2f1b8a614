// A TIFF file that is being written: pages of unsigned integers, deflated on all processors. Errors are
// Failures with a sentence.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/types.hpp"

struct tiff;  // libtiff's

namespace kiln {

class TiffWriter {
 public:
  struct Format {
    Vec3i size{0, 0, 0};      // z: how many pages there will be
    int bytes = 1;            // per pixel: 1, 2 or 4
    Vec3d voxel_um{1, 1, 1};  // goes into the resolution tags, as pixels per micrometre
    std::string description;  // of the first page
  };
  // BigTIFF where the pixels could take more than 4 GB.
  TiffWriter(const std::filesystem::path& path, Format format);

  // The next page, row by row.
  void add_page(const void* pixels);

 private:
  void set_tags();
  [[noreturn]] void fail() const;

  std::string name_;
  Format format_;
  int32_t rows_per_strip_ = 1;
  bool first_ = true;
  std::unique_ptr<std::string> error_ = std::make_unique<std::string>();  // libtiff keeps its address
  std::unique_ptr<tiff, void (*)(tiff*)> tiff_;
};

}  // namespace kiln
