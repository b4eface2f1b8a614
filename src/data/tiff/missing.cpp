// What tiff_stack.hpp becomes in a build without libtiff or pugixml: everything says what to install.
#ifndef KILN_HAS_TIFF
#include "base/error.hpp"
#include "data/tiff/stack.hpp"

namespace kiln {
namespace {

[[noreturn]] void missing() {
  throw Failure(
      "this build of Kiln cannot read TIFF files; install libtiff-dev and libpugixml-dev and rebuild.");
}

}  // namespace

std::unique_ptr<ImageSource> open_tiff(const std::filesystem::path&, const ImagePart&, std::size_t) {
  missing();
}
std::unique_ptr<ImageSource> open_tiff_slices(const std::filesystem::path&, const ImagePart&, std::size_t) {
  missing();
}

}  // namespace kiln
#endif
