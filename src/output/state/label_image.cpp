#include "output/state/label_image.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "data/tiff/ome_labels.hpp"

namespace kiln {
namespace {

constexpr int32_t kPlanesAtOnce = 16;  // that are brought from other processes

template <class Plane>
void write_planes(const std::filesystem::path& path, const Model& model, int64_t mcs, CellId cells,
                  const Plane& plane) {
  const double edge = model.units.voxel_um;
  const LabelImage image{
      plane, model.lattice.size, {edge, edge, edge}, cells - 1, fmt::format("{}, MCS {}", model.title, mcs)};
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  if (error) throw Failure(fmt::format("cannot write {}: {}.", path.string(), error.message()));
  write_ome_tiff(path, image);
}

}  // namespace

void write_label_image(const std::filesystem::path& path, const State& state, const Model& model) {
  const std::size_t plane = std::size_t(state.lattice.size.x) * std::size_t(state.lattice.size.y);
  write_planes(path, model, state.mcs, state.cells.count(),
               [&](int32_t z) { return state.ids.data() + std::size_t(z) * plane; });
}

void write_label_image(const std::filesystem::path& path, StateParts& state, const Model& model) {
  const Vec3i& size = model.lattice.size;
  const std::size_t plane = std::size_t(size.x) * std::size_t(size.y);
  CellId cells = 0;
  for (const PartPlace& place : state.places()) cells += place.cells;
  Box here{{0, 0, 0}, {size.x, size.y, 0}};
  HugeVector<CellId> ids;
  write_planes(path, model, state.mcs(), cells, [&](int32_t z) {
    if (z >= here.high.z) {
      here.low.z = z;
      here.high.z = std::min(z + kPlanesAtOnce, size.z);
      ids = std::move(state.sites_of(here).ids);
    }
    return ids.data() + std::size_t(z - here.low.z) * plane;
  });
}

}  // namespace kiln
