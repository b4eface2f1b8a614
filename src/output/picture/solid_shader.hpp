// Colour and light at a point of a surface.
#pragma once

#include "core/state.hpp"
#include "output/picture/palette.hpp"
#include "output/picture/solid_camera.hpp"
#include "output/picture/solid_tracer.hpp"
#include "output/picture/solid_volume.hpp"

namespace kiln {

// How much matter is around, whichever volume it belongs to: one inside of an octant that was cut away, and
// one in the rest of space.
class SolidSurroundings {
 public:
  explicit SolidSurroundings(const SolidVolume& volume) : volume_(&volume) {}

  // `standing` is what is left in the octant; nullptr: nothing.
  void cut(const Octant& octant, const SolidVolume* standing);

  // 0 to 1, at a place in voxels.
  float near(const Vec3f& p) const;
  float far(const Vec3f& p) const;

 private:
  bool is_cut(const Vec3f& p) const;

  const SolidVolume* volume_;
  const SolidVolume* standing_ = nullptr;
  Vec3f corner_;  // in voxels
  Vec3i side_;    // 0: no octant is cut away
};

struct Shaded {
  CellId cell = kNowhere;  // kNowhere: the background
  Vec3f light{1, 1, 1};    // linear
  float distance = 1e30f;  // along the ray, in sites
};

class SolidShader {
 public:
  SolidShader(const SolidVolume& volume, const SolidSurroundings& surroundings, const Palette& palette,
              const State& state, const Camera& camera);

  Shaded shade(const Ray& ray, const Hit& hit) const;

 private:
  // The cell that fills most of the place around a point.
  struct Owner {
    CellId cell = kNowhere;
    float act = 0;    // mean over its sites nearby
    Vec3f to_others;  // towards the other cells nearby; the longer, the more there are
  };
  class Ballot;
  Vec3f normal_at(const Vec3f& place, const Vec3f& to_others) const;
  // How open the surroundings are, 0 to 1: to all sides above the surface, and towards the light.
  float openness(const Vec3f& place, const Vec3f& normal) const;
  float lit_share(const Vec3f& place, const Vec3f& normal) const;

  Vec3f light_on_cut(const Vec3f& base, const Ray& ray, const Hit& hit) const;
  Vec3f light_on_surface(const Vec3f& base, const Ray& ray, const Vec3f& place, const Vec3f& normal) const;

  const SolidVolume& volume_;
  const SolidSurroundings& surroundings_;
  const Palette& palette_;
  const State& state_;
  Vec3f to_light_, up_;
  double nearest_, farthest_;  // distances from the eye, in sites, between which haze sets in
};

}  // namespace kiln
