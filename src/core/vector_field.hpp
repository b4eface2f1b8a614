// A vector at every site. The simple shapes are computed where they are needed; only a field from a file
// takes memory.
#pragma once

#include "core/lattice.hpp"
#include "core/math.hpp"

namespace kiln {

struct VectorField {
  enum class Shape { uniform, radial, circular, stored };

  Shape shape = Shape::uniform;
  float strength = 1.0f;
  Vec3d centre;         // radial, circular
  Vec3d axis{0, 0, 1};  // uniform: the direction; circular: what the field turns around, counter-clockwise
  const float* data = nullptr;  // stored: `components` floats per site
  int components = 3;
  // Of the values behind `data`: never the same for two sets of values in one process; 0: not known.
  uint64_t values_id = 0;

  KILN_HD Vec3f at(const Lattice& lattice, const Vec3i& place) const {
    if (shape == Shape::stored) {
      const float* v = data + lattice.index(place) * components;
      return {v[0] * strength, v[1] * strength, components == 3 ? v[2] * strength : 0.0f};
    }
    const Vec3d r{place.x - centre.x, place.y - centre.y, place.z - centre.z};
    Vec3d v = axis;
    if (shape == Shape::radial) v = r;
    if (shape == Shape::circular)
      v = {axis.y * r.z - axis.z * r.y, axis.z * r.x - axis.x * r.z, axis.x * r.y - axis.y * r.x};
    v = unit_vector(v);
    return {float(v.x) * strength, float(v.y) * strength, float(v.z) * strength};
  }
};

}  // namespace kiln
