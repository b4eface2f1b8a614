#include "model/initial/rows.hpp"

#include <algorithm>
#include <cmath>

#include "model/initial/capsule.hpp"

namespace kiln {
namespace {

using Shape = Region::Shape;

// The sites of a row that a convex shape contains, from a guess that is right up to rounding: the shape
// itself settles both ends.
template <class Contains>
Span settled(Span span, int32_t length, const Contains& contains) {
  while (span.begin < span.end && !contains(span.begin)) ++span.begin;
  while (span.end > span.begin && !contains(span.end - 1)) --span.end;
  while (span.begin > 0 && contains(span.begin - 1)) --span.begin;
  while (span.end < length && contains(span.end)) ++span.end;
  return span;
}

Span ball_row(const Region& ball, const Lattice& lattice, int32_t y, int32_t z) {
  const auto contains = [&](int32_t x) {
    const Vec3d off = Vec3d{double(x), double(y), double(z)} - ball.centre;
    return dot(off, off) <= ball.radius * ball.radius;
  };
  const double dy = y - ball.centre.y, dz = z - ball.centre.z;
  const double half = sqrt_of(std::max(0.0, ball.radius * ball.radius - dy * dy - dz * dz));
  return settled(sites_between(ball.centre.x - half, ball.centre.x + half, lattice.size.x), lattice.size.x,
                 contains);
}

// The row passes a tube where it passes one of its round ends or its side, so the guess is the hull of up to
// three intervals.
Span tube_row(const Capsule& tube, const Lattice& lattice, int32_t y, int32_t z) {
  const auto contains = [&](int32_t x) { return tube.contains({double(x), double(y), double(z)}); };
  double low = 0, high = -1;  // empty
  const auto add = [&](double a, double b) {
    low = high < low ? a : std::min(low, a);
    high = std::max(high, b);
  };
  constexpr double kSlack = 1e-9;  // rows that only touch must not be lost to rounding
  const double limit = tube.radius * tube.radius;
  for (const Vec3d& end : {tube.from, tube.to}) {
    const double dy = y - end.y, dz = z - end.z, rest = limit - dy * dy - dz * dz;
    const double half = sqrt_of(std::max(0.0, rest));
    if (rest >= -kSlack * (limit + 1)) add(end.x - half, end.x + half);
  }
  // Places of the row are s = x - from.x; |off|^2 |along|^2 - (off . along)^2 = limit |along|^2 is quadratic
  // in s.
  const Vec3d along = tube.to - tube.from, off{0, y - tube.from.y, z - tube.from.z};
  const double squared = dot(along, along), across = dot(off, along);
  const double a = squared - along.x * along.x, half_b = -across * along.x;
  const double c = (dot(off, off) - limit) * squared - across * across;
  const double root = half_b * half_b - a * c;
  if (a > 0 && root >= -kSlack * (half_b * half_b + std::abs(a * c))) {
    const double half = sqrt_of(std::max(0.0, root));
    double s[2] = {(-half_b - half) / a, (-half_b + half) / a};
    if (along.x != 0) {  // only between the two ends
      const double first = -across / along.x, last = (squared - across) / along.x;
      s[0] = std::max(s[0], std::min(first, last));
      s[1] = std::min(s[1], std::max(first, last));
    } else if (across < 0 || across > squared) {
      s[1] = s[0] - 1;
    }
    if (s[0] <= s[1]) add(tube.from.x + s[0], tube.from.x + s[1]);
  } else if (a <= 0 && squared > 0 && dot(off, off) <= limit) {  // along the row
    add(std::min(tube.from.x, tube.to.x), std::max(tube.from.x, tube.to.x));
  }
  if (high < low) return {};
  return settled(sites_between(low, high, lattice.size.x), lattice.size.x, contains);
}

Span convex_row(const Region& shape, const Lattice& lattice, int32_t y, int32_t z) {
  switch (shape.shape) {
    case Shape::ball:
      return ball_row(shape, lattice, y, z);
    case Shape::tube:
      return tube_row({shape.from, shape.to, shape.radius}, lattice, y, z);
    case Shape::box: {
      const bool holds_row = y >= shape.low.y && z >= shape.low.z && y < shape.high.y && z < shape.high.z;
      return holds_row ? sites_between(shape.low.x, shape.high.x, lattice.size.x) : Span{};
    }
    default:
      return {0, lattice.size.x};
  }
}

using Spans = std::vector<Span>;

// What is left of a row of this length.
Spans complement(const Spans& spans, int32_t length) {
  Spans result;
  int32_t begin = 0;
  for (const Span& span : spans) {
    if (span.begin > begin) result.push_back({begin, span.begin});
    begin = span.end;
  }
  if (length > begin) result.push_back({begin, length});
  return result;
}

Spans intersection(const Spans& one, const Spans& other) {
  Spans result;
  for (std::size_t i = 0, j = 0; i < one.size() && j < other.size();) {
    if (const Span both = one[i].within(other[j]); both.length() > 0) result.push_back(both);
    if (one[i].end < other[j].end)
      ++i;
    else
      ++j;
  }
  return result;
}

Spans merged(const Spans& one, const Spans& other) {
  Spans all = one, result;
  all.insert(all.end(), other.begin(), other.end());
  std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  for (const Span& span : all)
    if (!result.empty() && span.begin <= result.back().end)
      result.back().end = std::max(result.back().end, span.end);
    else
      result.push_back(span);
  return result;
}

Spans spans_inside(const Region& region, const Lattice& lattice, int32_t y, int32_t z) {
  const auto part = [&](std::size_t i) { return row_spans(region.of[i], lattice, y, z).part; };
  Spans result;
  if (region.shape < Shape::set_union) {
    if (const Span span = convex_row(region, lattice, y, z); span.length() > 0) result.push_back(span);
    return result;
  }
  if (region.of.empty()) return result;
  result = part(0);
  for (std::size_t i = 1; i < region.of.size(); ++i) {
    if (region.shape == Shape::set_union)
      result = merged(result, part(i));
    else if (region.shape == Shape::intersection)
      result = intersection(result, part(i));
    else if (!result.empty())
      result = intersection(result, complement(part(i), lattice.size.x));
  }
  return result;
}

Bounds hull(const Bounds& a, const Bounds& b, bool is_union) {
  Bounds result;
  for (int axis = 0; axis < 3; ++axis) {
    const double lows[2] = {std::min(a.low[axis], b.low[axis]), std::max(a.low[axis], b.low[axis])};
    const double highs[2] = {std::max(a.high[axis], b.high[axis]), std::min(a.high[axis], b.high[axis])};
    result.low[axis] = lows[is_union ? 0 : 1];
    result.high[axis] = highs[is_union ? 0 : 1];
  }
  return result;
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
  Spans inside = spans_inside(region, lattice, y, z);
  return {region.outside ? complement(inside, lattice.size.x) : std::move(inside)};
}

Bounds bounds_of(const Region& region, const Lattice& lattice) {
  const Vec3i& size = lattice.size;
  const Bounds everything{{0, 0, 0}, {double(size.x), double(size.y), double(size.z)}};
  if (region.outside) return everything;
  // One more than the last site that a shape of this radius can reach.
  const Vec3d reach{region.radius, region.radius, region.radius}, one{1, 1, 1};
  switch (region.shape) {
    case Shape::all:
      break;
    case Shape::box:
      return {region.low, region.high};
    case Shape::ball:
      return {region.centre - reach, region.centre + reach + one};
    case Shape::tube:
      return hull({region.from - reach, region.from + reach + one},
                  {region.to - reach, region.to + reach + one}, true);
    case Shape::set_union:
    case Shape::intersection:
    case Shape::difference: {
      if (region.of.empty()) break;
      Bounds result = bounds_of(region.of.front(), lattice);
      for (std::size_t i = 1; i < region.of.size() && region.shape != Shape::difference; ++i)
        result = hull(result, bounds_of(region.of[i], lattice), region.shape == Shape::set_union);
      return result;
    }
  }
  return everything;
}

SiteBox bounding_box(const Region& region, const Lattice& lattice) {
  const Vec3i& size = lattice.size;
  const auto [low, high] = bounds_of(region, lattice);
  return {sites_between(low.x, high.x, size.x), sites_between(low.y, high.y, size.y),
          sites_between(low.z, high.z, size.z)};
}

bool holds_any_site(const Region& region, const Lattice& lattice) {
  const SiteBox box = bounding_box(region, lattice);
  // From the middle outwards most shapes are found at once; a search that takes longer is not worth the
  // answer.
  int64_t rows_left = int64_t(1) << 22;
  const int32_t middle = (box.z.begin + box.z.end) / 2;
  for (int32_t i = 0; i < 2 * box.z.length() + 2; ++i) {
    const int32_t z = middle + (i % 2 == 0 ? i / 2 : -(i + 1) / 2);
    if (z < box.z.begin || z >= box.z.end) continue;
    for (int32_t y = box.y.begin; y < box.y.end; ++y)
      if (rows_left-- == 0 || !row_spans(region, lattice, y, z).part.empty()) return true;
  }
  return false;
}

}  // namespace kiln
