#include "output/picture/solid_scene.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/random.hpp"

namespace kiln {
namespace {

// The octant of what can be drawn that is nearest to the camera.
Octant nearest_octant(const Camera& camera) {
  Octant octant{camera.middle, {}};
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

// Lines of sight from the faces of an octant that is cut away to the eye, a grid of them on each face.
class SightLines {
 public:
  SightLines(const State& state, const Octant& octant, const Vec3d& eye)
      : state_(state), octant_(octant), eye_(eye) {}

  // The share of them that each type is in the way of, among those that start where something is shown.
  std::vector<double> blocked_by(const std::vector<bool>& shown) {
    blocked_.assign(shown.size(), 0);
    for (int axis = 0; axis < 3; ++axis)
      for (int i = 0; i < kPerSide; ++i)
        for (int j = 0; j < kPerSide; ++j) follow(axis, (i + 0.5) / kPerSide, (j + 0.5) / kPerSide, shown);
    for (double& count : blocked_) count /= std::max(lines_, 1.0);
    return blocked_;
  }

 private:
  static constexpr int kPerSide = 48;

  TypeId type_at(const Vec3i& p) const { return state_.cells.type[state_.ids[state_.lattice.index(p)]]; }
  bool inside(const Vec3d& p) const {
    for (int axis = 0; axis < 3; ++axis)
      if (p[axis] < 0 || p[axis] > state_.lattice.size[axis] - 1) return false;
    return true;
  }

  // From the place at these shares of the two sides of the face across an axis.
  void follow(int axis, double first, double second, const std::vector<bool>& shown) {
    Vec3d place = octant_.corner;
    for (const auto& [along, share] : {std::pair{(axis + 1) % 3, first}, {(axis + 2) % 3, second}}) {
      const double end = octant_.side[along] > 0 ? state_.lattice.size[along] - 1 : 0;
      place[along] += share * (end - place[along]);
    }
    Vec3d behind = place;
    behind[axis] -= octant_.side[axis];
    if (!inside(behind) || !shown[type_at(rounded(behind))]) return;
    lines_ += 1;
    Vec3d step = eye_ - place;
    step = step * (1 / std::sqrt(dot(step, step)));
    std::vector<bool> met(blocked_.size());
    for (place = place + step; inside(place); place = place + step) {
      const TypeId type = type_at(rounded(place));
      if (!met[type]) blocked_[type] += 1;
      met[type] = true;
    }
  }
  static Vec3i rounded(const Vec3d& p) { return {int(p.x + 0.5), int(p.y + 0.5), int(p.z + 0.5)}; }

  const State& state_;
  const Octant& octant_;
  Vec3d eye_;
  std::vector<double> blocked_;
  double lines_ = 0;
};

// Frozen types that are drawn and would not hide the faces of the cut.
std::vector<bool> standing_types(const Model& model, const State& state, const Octant& octant,
                                 const Camera& camera) {
  constexpr double kMostHidden = 0.8;
  std::vector<bool> standing = shown_types(model);
  const std::vector<double> blocked = SightLines(state, octant, camera.eye).blocked_by(standing);
  for (std::size_t t = 0; t < standing.size(); ++t)
    standing[t] = standing[t] && model.types[t].frozen && blocked[t] > 0 && blocked[t] < kMostHidden;
  return standing;
}

}  // namespace

SolidScene::SolidScene(const PictureSettings& settings, const Model& model, const State& state,
                       const Camera& camera, int threads)
    : palette_(settings, model, state) {
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
  if (settings.cut_away) {
    const std::vector<bool> standing = standing_types(model, state, octant, camera);
    if (std::find(standing.begin(), standing.end(), true) != standing.end()) {
      standing_ = volume_of(standing);
      add(*standing_, Look::inside_octant, octant);  // first: it is nearer, and hides the rest
    }
    surroundings_->cut(octant, standing_.get());
  }
  add(*volume_, settings.cut_away ? Look::outside_octant : Look::everywhere, octant);
}

Shaded SolidScene::look_along(const Ray& ray, double start) const {
  std::optional<Hit> nearest;
  const Layer* met = nullptr;
  for (const Layer& layer : layers_) {
    const std::optional<Hit> hit = layer.tracer.trace(ray, start, nearest ? nearest->distance : 1e300);
    if (!hit) continue;
    nearest = hit;
    met = &layer;
  }
  return nearest ? met->shader.shade(ray, *nearest) : Shaded{};
}

}  // namespace kiln
