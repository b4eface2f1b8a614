#include "output/solid_scene.hpp"

#include <algorithm>
#include <optional>

#include "core/random.hpp"

namespace kiln {
namespace {

// The octant of what can be drawn that is nearest to the camera.
Octant nearest_octant(const Camera& camera) {
  Octant octant{camera.target, {}};
  for (int axis = 0; axis < 3; ++axis) octant.side[axis] = camera.forward[axis] > 0 ? -1 : 1;
  return octant;
}

std::vector<bool> shown_types(const Model& model) {
  std::vector<bool> shown;
  for (const CellType& type : model.types) shown.push_back(!shown.empty() && !type.hidden);
  return shown;
}

// Whether a cell is among the one in so many that are drawn. Ids follow places in many models, so that every
// k-th of them would lie in rows.
bool is_picked(CellId cell, int64_t one_in) {
  return one_in <= 1 || draw(0, Stream::pictures, cell, 1).a % uint64_t(one_in) == 0;
}

std::vector<uint8_t> visible_cells(const std::vector<bool>& shown_types, int64_t one_cell_in,
                                   const Model& model, const State& state) {
  std::vector<uint8_t> visible(state.cells.count());
  for (CellId cell = 0; cell < state.cells.count(); ++cell) {
    const TypeId type = state.cells.type[cell];
    visible[cell] = shown_types[type] && (model.types[type].frozen || is_picked(cell, one_cell_in)) ? 1 : 0;
  }
  return visible;
}

// Frozen types that are drawn and leave most of the octant open.
std::vector<bool> standing_types(const Model& model, const State& state, const Octant& octant) {
  constexpr double kMostShare = 0.2;
  const Lattice& lattice = state.lattice;
  Vec3i low, high;
  for (int axis = 0; axis < 3; ++axis) {
    const int middle = std::clamp(int(octant.corner[axis] + 0.5), 0, lattice.size[axis] - 1);
    low[axis] = octant.side[axis] > 0 ? middle : 0;
    high[axis] = octant.side[axis] > 0 ? lattice.size[axis] : middle + 1;
  }
  std::vector<int64_t> sites(model.types.size());
  for (int z = low.z; z < high.z; ++z)
    for (int y = low.y; y < high.y; ++y)
      for (int x = low.x; x < high.x; ++x) ++sites[state.cells.type[state.ids[lattice.index({x, y, z})]]];
  const double all = double(high.x - low.x) * (high.y - low.y) * (high.z - low.z);
  std::vector<bool> standing = shown_types(model);
  for (std::size_t t = 0; t < standing.size(); ++t)
    standing[t] = standing[t] && model.types[t].frozen && sites[t] > 0 && double(sites[t]) < kMostShare * all;
  return standing;
}

}  // namespace

SolidScene::SolidScene(const PictureSettings& settings, const Model& model, const State& state,
                       const Camera& camera, int threads)
    : palette_(settings.colour_by, model, state) {
  const auto volume_of = [&](const std::vector<bool>& shown) {
    return std::make_unique<SolidVolume>(state, visible_cells(shown, settings.one_cell_in, model, state),
                                         camera.sites_per_pixel(), threads);
  };
  const auto add = [&](const SolidVolume& volume, Look look, const Octant& octant) {
    layers_.push_back(
        {SolidTracer(volume, look, octant), SolidShader(volume, *surroundings_, palette_, state, camera)});
  };
  const Octant octant = nearest_octant(camera);
  volume_ = volume_of(shown_types(model));
  surroundings_ = std::make_unique<SolidSurroundings>(*volume_);
  add(*volume_, settings.cut_away ? Look::outside_octant : Look::everywhere, octant);
  if (!settings.cut_away) return;
  const std::vector<bool> standing = standing_types(model, state, octant);
  if (std::find(standing.begin(), standing.end(), true) != standing.end()) {
    standing_ = volume_of(standing);
    add(*standing_, Look::inside_octant, octant);
  }
  surroundings_->cut(octant, standing_.get());
}

Shaded SolidScene::look_along(const Ray& ray) const {
  std::optional<Hit> nearest;
  const Layer* met = nullptr;
  for (const Layer& layer : layers_) {
    const std::optional<Hit> hit = layer.tracer.trace(ray);
    if (!hit || (nearest && nearest->distance <= hit->distance)) continue;
    nearest = hit;
    met = &layer;
  }
  return nearest ? met->shader.shade(ray, *nearest) : Shaded{};
}

}  // namespace kiln
