// A tube with round ends: all places at most `radius` away from the straight line between two points.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/lattice.hpp"

namespace kiln {

struct Capsule {
  Vec3d from, to;
  double radius = 0;

  // Without a division, so that points with integer coordinates are judged exactly.
  bool contains(const Vec3d& p) const {
    const Vec3d along = to - from, offset = p - from;
    const double squared_length = dot(along, along), projection = dot(offset, along);
    const double limit = radius * radius;
    if (projection <= 0) return dot(offset, offset) <= limit;
    if (projection >= squared_length) return dot(p - to, p - to) <= limit;
    return dot(offset, offset) * squared_length - projection * projection <= limit * squared_length;
  }

  // Sites first <= place <= last along an axis that the tube may touch; places beyond a closed wall are left
  // out.
  struct Range {
    int32_t first, last;
  };
  Range range(const Lattice& lattice, int axis) const {
    double low = std::ceil(std::min(from[axis], to[axis]) - radius);
    double high = std::floor(std::max(from[axis], to[axis]) + radius);
    if (!lattice.periodic[axis]) {
      low = std::max(low, 0.0);
      high = std::min(high, double(lattice.size[axis] - 1));
    }
    return {int32_t(low), int32_t(high)};
  }
};

namespace detail {

// Narrows [t0, t1], the part of the line (0 at one end, 1 at the other), to where it comes within the radius
// of a coordinate along one axis.
inline void narrow(double from, double to, double radius, double coordinate, double& t0, double& t1) {
  const double step = to - from;
  if (step == 0) return;
  const double a = (coordinate - radius - from) / step, b = (coordinate + radius - from) / step;
  t0 = std::max(t0, std::min(a, b));
  t1 = std::min(t1, std::max(a, b));
}

}  // namespace detail

// Calls visit(place) for every site of the lattice in the tube; around periodic axes it goes on at the other
// side (a site may then be visited more than once). Row by row only the stretch near the line is looked at.
template <class Visit>
void for_each_site(const Capsule& capsule, const Lattice& lattice, Visit&& visit) {
  constexpr double kSlack = 1e-9;  // rounding of t
  const Capsule::Range xs = capsule.range(lattice, 0), ys = capsule.range(lattice, 1),
                       zs = capsule.range(lattice, 2);
  const Vec3d& from = capsule.from;
  const Vec3d& to = capsule.to;
  for (int32_t z = zs.first; z <= zs.last; ++z)
    for (int32_t y = ys.first; y <= ys.last; ++y) {
      double t0 = 0, t1 = 1;
      detail::narrow(from.y, to.y, capsule.radius, y, t0, t1);
      detail::narrow(from.z, to.z, capsule.radius, z, t0, t1);
      if (t0 > t1 + kSlack) continue;
      const double step = to.x - from.x;
      const double a = from.x + t0 * step, b = from.x + t1 * step;
      const int32_t first = std::max(xs.first, int32_t(std::floor(std::min(a, b) - capsule.radius)));
      const int32_t last = std::min(xs.last, int32_t(std::ceil(std::max(a, b) + capsule.radius)));
      for (int32_t x = first; x <= last; ++x) {
        if (!capsule.contains({double(x), double(y), double(z)})) continue;
        Vec3i place{x, y, z};
        if (lattice.wrap(place)) visit(place);
      }
    }
}

}  // namespace kiln
