#include "output/picture/solid_camera.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kiln {
namespace {

constexpr int kDefaultWidth = 1000;
constexpr double kTallest = 1.25;  // height of a picture over its width
constexpr double kMargin = 0.03;   // of the picture's width, on every side
constexpr double kDistance = 4.5;  // of the eye from the target, in radii of what is drawn

// Corners of a hull of everything that can be drawn: the ends of every row of sites, or those of the box.
std::vector<Vec3d> drawable_hull(const Model& model, const State& state) {
  const Lattice& lattice = state.lattice;
  std::vector<uint8_t> never(state.cells.type.size());
  bool any = false;
  for (CellId cell = 0; cell < state.cells.count(); ++cell) {
    const CellType& type = model.types[state.cells.type[cell]];
    never[cell] = type.frozen && type.hidden;
    any |= never[cell] != 0;
  }
  std::vector<Vec3d> hull;
  const auto add = [&](double x, int y, int z) {
    for (const double dy : {-0.5, 0.5})
      for (const double dz : {-0.5, 0.5}) hull.push_back({x, y + dy, z + dz});
  };
  for (int z = 0; z < lattice.size.z; z += any ? 1 : std::max(1, lattice.size.z - 1))
    for (int y = 0; y < lattice.size.y; y += any ? 1 : std::max(1, lattice.size.y - 1)) {
      const CellId* row = state.ids.data() + lattice.index({0, y, z});
      int first = 0, last = lattice.size.x - 1;
      while (first <= last && never[row[first]] != 0) ++first;
      while (last >= first && never[row[last]] != 0) --last;
      if (first > last) continue;
      add(first - 0.5, y, z);
      add(last + 0.5, y, z);
    }
  if (hull.empty()) hull.push_back({0, 0, 0});
  return hull;
}

struct Bounds {
  Vec3d low{1e300, 1e300, 1e300}, high{-1e300, -1e300, -1e300};

  void include(const Vec3d& p) {
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], p[axis]);
      high[axis] = std::max(high[axis], p[axis]);
    }
  }
};

}  // namespace

Ray Camera::ray(double x, double y) const {
  const double u = middle_u + (x - 0.5 * width) * pixel;
  const double v = middle_v - (y - 0.5 * height) * pixel;
  const Vec3d d = forward + right * u + up * v;
  return {eye, d * (1 / std::sqrt(dot(d, d)))};
}

Camera place_camera(const PictureSettings& settings, const Model& model, const State& state) {
  const std::vector<Vec3d> hull = drawable_hull(model, state);
  Bounds bounds;
  for (const Vec3d& p : hull) bounds.include(p);

  Camera camera;
  camera.target = (bounds.low + bounds.high) * 0.5;
  const double turn = settings.turn * std::numbers::pi / 180, tilt = settings.tilt * std::numbers::pi / 180;
  camera.forward = {-std::sin(turn) * std::cos(tilt), std::cos(turn) * std::cos(tilt), -std::sin(tilt)};
  camera.right = {std::cos(turn), std::sin(turn), 0};
  camera.up = {-std::sin(turn) * std::sin(tilt), std::cos(turn) * std::sin(tilt), std::cos(tilt)};
  double radius2 = 0.25;
  for (const Vec3d& p : hull) radius2 = std::max(radius2, dot(p - camera.target, p - camera.target));
  camera.radius = std::sqrt(radius2);
  camera.eye = camera.target - camera.forward * (kDistance * camera.radius);

  Bounds seen;
  for (const Vec3d& p : hull) {
    const Vec3d d = p - camera.eye;
    const double depth = dot(d, camera.forward);
    seen.include({dot(d, camera.right) / depth, dot(d, camera.up) / depth, 0});
  }
  const double u_span = seen.high.x - seen.low.x, v_span = seen.high.y - seen.low.y;
  camera.middle_u = 0.5 * (seen.low.x + seen.high.x);
  camera.middle_v = 0.5 * (seen.low.y + seen.high.y);
  camera.width = settings.width > 0 ? settings.width : kDefaultWidth;
  const double margin = 2 * kMargin * camera.width;
  camera.pixel = std::max(u_span / (camera.width - margin), v_span / (kTallest * camera.width - margin));
  camera.height = std::max(1, int(v_span / camera.pixel + margin + 0.5));
  return camera;
}

}  // namespace kiln
