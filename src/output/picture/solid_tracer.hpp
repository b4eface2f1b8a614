// Follows a ray through a solid volume to the first surface.
#pragma once

#include <optional>

#include "core/types.hpp"
#include "output/picture/solid_camera.hpp"
#include "output/picture/solid_volume.hpp"

namespace kiln {

// A corner of space: all places whose difference from `corner` has the sign of `side` along every axis.
struct Octant {
  Vec3d corner;  // in lattice coordinates
  Vec3i side;    // +1 or -1
};

// What of a volume is looked at.
enum class Look { everywhere, outside_octant, inside_octant };

struct Hit {
  Vec3f place;           // in voxels
  double distance;       // along the ray, in sites
  int cut_axis = -1;     // the hit is on a face across this axis: of what was cut away, or
  bool on_wall = false;  // of the lattice
};

class SolidTracer {
 public:
  SolidTracer(const SolidVolume& volume, Look look, const Octant& octant)
      : volume_(volume), look_(look), octant_(octant) {}

  // The first hit nearer than `limit`; nothing is nearer than `start`.
  std::optional<Hit> trace(const Ray& ray, double start = 0, double limit = 1e300) const;

 private:
  struct Line;
  std::optional<Hit> enter_lattice(const Line& line, int wall, double from, double to) const;
  std::optional<Hit> enter(const Line& line, int face, double from, double to) const;
  std::optional<Hit> march(const Line& line, double from, double to) const;
  std::optional<Hit> walk_block(const Line& line, const Vec3i& block, Vec3i cell, double& t, double to) const;
  std::optional<Hit> search_cell(const Line& line, const Vec3i& cell, double from, double to) const;

  const SolidVolume& volume_;
  Look look_;
  Octant octant_;
};

}  // namespace kiln
