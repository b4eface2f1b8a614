#include "data/write_stack.hpp"

#include <fmt/format.h>

#include <fstream>

#ifdef KILN_HAS_TIFF
#include <tiffio.h>

#include <memory>
#endif

#include "core/error.hpp"
#include "data/atomic_file.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

void write_npy(const fs::path& path, const Grid<uint8_t>& stack) {
  std::string header = fmt::format("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {}, {}), }}",
                                   stack.size.z, stack.size.y, stack.size.x);
  constexpr std::size_t kStart = 10, kBlock = 64;  // numpy.lib.format: data begins at a multiple of 64
  header += std::string((kBlock - (kStart + header.size() + 1) % kBlock) % kBlock, ' ') + '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += char(header.size() & 0xFF);
  start += char(header.size() >> 8);
  std::ofstream out(path, std::ios::binary);
  out.write(start.data(), std::streamsize(start.size()));
  out.write(header.data(), std::streamsize(header.size()));
  out.write(reinterpret_cast<const char*>(stack.values.data()), std::streamsize(stack.values.size()));
  out.close();
  if (!out) throw Failure(fmt::format("cannot write {}.", path.string()));
}

#ifdef KILN_HAS_TIFF
struct Close {
  void operator()(TIFF* file) const { TIFFClose(file); }
};

void write_tiff(const fs::path& path, const Grid<uint8_t>& stack, const Vec3d& voxel_um) {
  constexpr double kBigTiff = 4e9;
  const char* mode = double(stack.values.size()) > kBigTiff ? "w8" : "w";
  const std::unique_ptr<TIFF, Close> file(TIFFOpen(path.c_str(), mode));
  const auto check = [&path](bool good) {
    if (!good) throw Failure(fmt::format("cannot write {}.", path.string()));
  };
  check(file != nullptr);
  const std::string about = fmt::format("ImageJ=1.53t\nimages={0}\nslices={0}\nunit=micron\nspacing={1:g}\n",
                                        stack.size.z, voxel_um.z);
  for (int32_t z = 0; z < stack.size.z; ++z) {
    TIFF* const tiff = file.get();
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, uint32_t(stack.size.x));
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, uint32_t(stack.size.y));
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_COMPRESSION, COMPRESSION_LZW);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, uint32_t(stack.size.y));
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, 1 / voxel_um.x);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, 1 / voxel_um.y);
    if (z == 0) TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, about.c_str());
    void* const slice = const_cast<uint8_t*>(&stack.at(0, 0, z));  // libtiff takes what it only reads so
    check(TIFFWriteEncodedStrip(tiff, 0, slice, tmsize_t(stack.size.x) * stack.size.y) >= 0);
    check(TIFFWriteDirectory(tiff) == 1);
  }
}
#else
void write_tiff(const fs::path&, const Grid<uint8_t>&, const Vec3d&) {
  throw Failure(
      "this build of Kiln cannot write TIFF files; install libtiff-dev and libpugixml-dev and build "
      "again, or write .npy.");
}
#endif

}  // namespace

void write_stack(const fs::path& path, const Grid<uint8_t>& stack, const Vec3d& voxel_um) {
  const std::string ending = path.extension().string();
  const bool is_tiff = ending == ".tif" || ending == ".tiff";
  if (!is_tiff && ending != ".npy")
    throw UserError(fmt::format("cannot write {}: its name must end in .tif, .tiff or .npy.", path.string()));
  write_atomically(path, [&](const fs::path& temporary) {
    if (is_tiff)
      write_tiff(temporary, stack, voxel_um);
    else
      write_npy(temporary, stack);
  });
}

}  // namespace kiln
