#include "model/initial/rows.hpp"

#include <algorithm>
#include <cmath>

namespace kiln {
namespace {

// The part of a row inside the ball. The square root finds the ends up to rounding, the region itself settles
// them.
Span ball_row(const Region& ball, const Lattice& lattice, int32_t y, int32_t z) {
  const auto contains = [&](int32_t x) { return ball.contains({double(x), double(y), double(z)}); };
  const double dy = y - ball.centre.y, dz = z - ball.centre.z;
  const double half = sqrt_of(std::max(0.0, ball.radius * ball.radius - dy * dy - dz * dz));
  Span span = sites_between(ball.centre.x - half, ball.centre.x + half, lattice.size.x);
  while (span.begin < span.end && !contains(span.begin)) ++span.begin;
  while (span.end > span.begin && !contains(span.end - 1)) --span.end;
  while (span.begin > 0 && contains(span.begin - 1)) --span.begin;
  while (span.end < lattice.size.x && contains(span.end)) ++span.end;
  return span;
}

Span row_inside(const Region& shape, const Lattice& lattice, int32_t y, int32_t z) {
  switch (shape.shape) {
    case Region::Shape::ball:
      return ball_row(shape, lattice, y, z);
    case Region::Shape::box: {
      const bool holds_row = y >= shape.low.y && z >= shape.low.z && y < shape.high.y && z < shape.high.z;
      return holds_row ? sites_between(shape.low.x, shape.high.x, lattice.size.x) : Span{};
    }
    case Region::Shape::all:
      break;
  }
  return {0, lattice.size.x};
}

}  // namespace

Span sites_between(double a, double b, int32_t length) {
  const auto first_at_or_after = [&](double v) {
    return int32_t(std::ceil(std::clamp(v, 0.0, double(length))));
  };
  const int32_t begin = first_at_or_after(a);
  return {begin, std::max(begin, first_at_or_after(b))};
}

RowSpans row_spans(const Region& region, const Lattice& lattice, int32_t y, int32_t z) {
  Region shape = region;
  shape.outside = false;
  const Span inside = row_inside(shape, lattice, y, z);
  if (!region.outside) return {{inside, Span{}}};
  if (inside.length() == 0) return {{{0, lattice.size.x}, Span{}}};
  return {{{0, inside.begin}, {inside.end, lattice.size.x}}};
}

SiteBox bounding_box(const Region& region, const Lattice& lattice) {
  const Vec3i size = lattice.size;
  Vec3d low{0, 0, 0}, high{double(size.x), double(size.y), double(size.z)};
  if (!region.outside && region.shape == Region::Shape::box) {
    low = region.low;
    high = region.high;
  } else if (!region.outside && region.shape == Region::Shape::ball) {
    const Vec3d reach{region.radius, region.radius, region.radius};
    low = region.centre - reach;
    // One more than the last site that the ball can reach.
    high = region.centre + reach + Vec3d{1, 1, 1};
  }
  return {sites_between(low.x, high.x, size.x), sites_between(low.y, high.y, size.y),
          sites_between(low.z, high.z, size.z)};
}

}  // namespace kiln
