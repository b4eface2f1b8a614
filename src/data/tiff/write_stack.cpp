#include "data/tiff/write_stack.hpp"

#include <fmt/format.h>

#include <fstream>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "data/tiff/writer.hpp"

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
void write_tiff(const fs::path& path, const Grid<uint8_t>& stack, const Vec3d& voxel_um) {
  const std::string about = fmt::format("ImageJ=1.53t\nimages={0}\nslices={0}\nunit=micron\nspacing={1:g}\n",
                                        stack.size.z, voxel_um.z);
  TiffWriter file(path, {stack.size, 1, voxel_um, about});
  for (int32_t z = 0; z < stack.size.z; ++z) file.add_page(&stack.at(0, 0, z));
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
