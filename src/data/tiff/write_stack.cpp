#include "data/tiff/write_stack.hpp"

#include <fmt/format.h>

#include <span>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "data/npy/write.hpp"
#include "data/tiff/writer.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

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
      write_npy(temporary, {"|u1", false, {stack.size.z, stack.size.y, stack.size.x}},
                std::as_bytes(std::span(stack.values)));
  });
}

}  // namespace kiln
