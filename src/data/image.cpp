#include "data/image.hpp"

#include "core/error.hpp"
#include "data/npy.hpp"

namespace kiln {

ImageStack read_image(const std::filesystem::path& path, const ImagePart&, std::size_t) {
  ImageStack image{read_npy(path), {0, 0, 0}};
  if (image.values.shape.size() == 2) image.values.shape.insert(image.values.shape.begin(), 1);
  if (image.values.shape.size() != 3) throw UserError(path.string() + " is no image.");
  return image;
}

}  // namespace kiln
