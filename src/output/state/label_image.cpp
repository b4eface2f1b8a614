#include "output/state/label_image.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "data/tiff/ome_labels.hpp"

namespace kiln {

void write_label_image(const std::filesystem::path& path, const State& state, const Model& model) {
  const double edge = model.units.voxel_um;
  LabelImage image{state.ids.data(), state.lattice.size, {edge, edge, edge}, state.cells.count() - 1, {}};
  image.name = fmt::format("{}, MCS {}", model.title, state.mcs);
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) throw Failure(fmt::format("cannot write {}: {}.", path.string(), error.message()));
  write_ome_tiff(path, image);
}

}  // namespace kiln
