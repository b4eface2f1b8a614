#include "output/picture/solid_camera.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kiln {
namespace {

constexpr int kDefaultWidth = 800;
constexpr double kTallest = 1.25;  // height of a picture over its width
constexpr double kMargin = 0.03;   // of the picture's width, on every side
constexpr double kDistance = 4.5;  // of the eye from the target, in radii of what is drawn

// Calls take(place) with the corners of a hull of everything that is framed.
template <class Take>
void for_each_corner(const State& state, const std::vector<uint8_t>& framed, const Take& take) {
  const bool all = std::find(framed.begin(), framed.end(), 0) == framed.end();
  const auto corners_of_row = [&](double first, double last, int y, int z) {
    for (const double x : {first, last})
      for (const double dy : {-0.5, 0.5})
        for (const double dz : {-0.5, 0.5}) take(Vec3d{x, y + dy, z + dz});
  };
  if (!all) return for_each_row_end(state, framed, corners_of_row);
  const Vec3i size = state.lattice.size;
  for (const int y : {0, size.y - 1})
    for (const int z : {0, size.z - 1}) corners_of_row(-0.5, size.x - 0.5, y, z);
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

namespace {

Camera aim_camera(const PictureSettings& settings, const State& state, const std::vector<uint8_t>& drawable) {
  Bounds bounds;
  for_each_corner(state, drawable, [&](const Vec3d& p) { bounds.include(p); });
  if (bounds.low.x > bounds.high.x) bounds.include({0, 0, 0});

  Camera camera;
  camera.target = (bounds.low + bounds.high) * 0.5;
  const double turn = settings.turn * std::numbers::pi / 180, tilt = settings.tilt * std::numbers::pi / 180;
  camera.forward = {-std::sin(turn) * std::cos(tilt), std::cos(turn) * std::cos(tilt), -std::sin(tilt)};
  camera.right = {std::cos(turn), std::sin(turn), 0};
  camera.up = {-std::sin(turn) * std::sin(tilt), std::cos(turn) * std::sin(tilt), std::cos(tilt)};
  double radius2 = 0.25;
  for_each_corner(state, drawable, [&](const Vec3d& p) {
    radius2 = std::max(radius2, dot(p - camera.target, p - camera.target));
  });
  camera.radius = std::sqrt(radius2);
  camera.eye = camera.target - camera.forward * (kDistance * camera.radius);
  return camera;
}

// On the plane at distance 1 from the eye, y down.
PlaneBox seen_box(const Camera& camera, const State& state, const std::vector<uint8_t>& framed) {
  PlaneBox seen;
  for_each_corner(state, framed, [&](const Vec3d& p) {
    const Vec3d d = p - camera.eye;
    const double depth = dot(d, camera.forward);
    seen.include(dot(d, camera.right) / depth, -dot(d, camera.up) / depth);
  });
  if (seen.is_empty()) seen.include(0, 0);
  return seen;
}

void show_tissue(const PictureSettings& settings, const Model& model, const State& state,
                 const Camera& camera, const PlaneBox& all, Frame& frame) {
  const std::vector<uint8_t> tissue = framed_cells(settings, model, state);
  if (frame.box.is_empty()) {
    Bounds bounds;
    for_each_corner(state, tissue, [&](const Vec3d& p) { bounds.include(p); });
    if (bounds.low.x > bounds.high.x) bounds.include(camera.target);
    frame.middle = (bounds.low + bounds.high) * 0.5;
  }
  frame.show(seen_box(camera, state, tissue), all);
}

}  // namespace

Camera place_camera(const PictureSettings& settings, const Model& model, const State& state, Frame& frame) {
  PictureSettings whole = settings;
  whole.frame = PictureSettings::FrameOf::lattice;
  const std::vector<uint8_t> drawable = framed_cells(whole, model, state);
  Camera camera = aim_camera(settings, state, drawable);
  const PlaneBox all = seen_box(camera, state, drawable);
  if (settings.frame == PictureSettings::FrameOf::tissue) {
    show_tissue(settings, model, state, camera, all, frame);
  } else {
    frame.box = all;
    frame.middle = camera.target;
  }
  camera.middle = frame.middle;
  camera.middle_u = 0.5 * (frame.box.left + frame.box.right);
  camera.middle_v = -0.5 * (frame.box.top + frame.box.bottom);
  if (frame.width == 0) frame.width = settings.width > 0 ? settings.width : kDefaultWidth;
  camera.width = frame.width;
  const double margin = 2 * kMargin * camera.width;
  const double tallest = frame.height > 0 ? frame.height : kTallest * camera.width;
  camera.pixel =
      std::max(frame.box.width() / (camera.width - margin), frame.box.height() / (tallest - margin));
  if (frame.height == 0) frame.height = std::max(1, int(frame.box.height() / camera.pixel + margin + 0.5));
  camera.height = frame.height;
  return camera;
}

}  // namespace kiln
