#include "output/picture/solid_tracer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln {

// A ray in voxels; the parameter stays in sites.
struct SolidTracer::Line {
  Vec3d origin, direction, inverse;
  double start;

  Vec3d at(double t) const { return origin + direction * t; }
  // When the ray leaves a box that it is in, along one axis.
  double leaves(int axis, double low, double high) const {
    return ((direction[axis] > 0 ? high : low) - origin[axis]) * inverse[axis];
  }
  double leaves_cube(const Vec3i& low, int side) const {
    double t = 1e300;
    for (int axis = 0; axis < 3; ++axis) t = std::min(t, leaves(axis, low[axis], low[axis] + side));
    return t;
  }
};

namespace {

// Keeps every division finite; nothing is as far away as 1 / kTiny.
constexpr double kTiny = 1e-12;
// A step past a face, in sites, so that rounding cannot hold a ray at it.
constexpr double kPast = 1e-6;

}  // namespace

std::optional<Hit> SolidTracer::trace(const Ray& ray, double start, double limit) const {
  Line line;
  line.origin = volume_.place(ray.origin);
  line.start = start;
  double from = 0, to = limit;
  int wall = -1;  // the axis across which the ray enters the lattice
  for (int axis = 0; axis < 3; ++axis) {
    const double d = ray.direction[axis] / volume_.step();
    line.direction[axis] = std::abs(d) > kTiny ? d : kTiny;
    line.inverse[axis] = 1 / line.direction[axis];
    const double a = (volume_.low_wall()[axis] - line.origin[axis]) * line.inverse[axis];
    const double b = (volume_.high_wall()[axis] - line.origin[axis]) * line.inverse[axis];
    if (std::min(a, b) > from) {
      from = std::min(a, b);
      wall = axis;
    }
    to = std::min(to, std::max(a, b));
  }
  if (from >= to) return std::nullopt;
  if (look_ == Look::everywhere) return enter_lattice(line, wall, from, to);

  double cut_from = from, cut_to = to;
  int face = -1;
  const Vec3d corner = volume_.place(octant_.corner);
  for (int axis = 0; axis < 3; ++axis) {
    const double t = (corner[axis] - line.origin[axis]) * line.inverse[axis];
    if ((line.direction[axis] > 0) == (octant_.side[axis] > 0)) {
      cut_from = std::max(cut_from, t);
    } else if (t < cut_to) {
      cut_to = t;
      face = axis;
    }
  }
  const bool meets = cut_from < cut_to;
  if (look_ == Look::inside_octant)
    return meets ? enter_lattice(line, cut_from > from ? -1 : wall, cut_from, cut_to) : std::nullopt;
  if (!meets) return enter_lattice(line, wall, from, to);
  if (cut_from > from)
    if (auto hit = enter_lattice(line, wall, from, cut_from)) return hit;
  return face < 0 ? std::nullopt : enter(line, face, cut_to, to);
}

std::optional<Hit> SolidTracer::enter_lattice(const Line& line, int wall, double from, double to) const {
  std::optional<Hit> hit = enter(line, wall, from, to);
  if (hit && hit->cut_axis >= 0) hit->on_wall = true;
  return hit;
}

// What lies in a face is cut by it.
std::optional<Hit> SolidTracer::enter(const Line& line, int face, double from, double to) const {
  if (line.start > from) {  // the face lies behind
    face = -1;
    from = line.start;
  }
  if (face >= 0) {
    const Vec3d p = line.at(from);
    const Vec3f place{float(p.x), float(p.y), float(p.z)};
    if (volume_.fine().at(place) >= SolidVolume::kSurface) return Hit{place, from, face};
  }
  return march(line, from, to);
}

std::optional<Hit> SolidTracer::march(const Line& line, double from, double to) const {
  const Vec3i last = volume_.fine().size - Vec3i{2, 2, 2};
  for (double t = from; t < to;) {
    const Vec3d p = line.at(t + kPast);
    Vec3i cell, block;
    for (int axis = 0; axis < 3; ++axis) {
      cell[axis] = std::clamp(int(p[axis]), 0, last[axis]);
      block[axis] = cell[axis] / SolidVolume::kBlock;
    }
    double next;
    if (const int blocks = volume_.blocks_to_surface(block); blocks > 0) {
      const int around = blocks - 1;
      next = line.leaves_cube((block - Vec3i{around, around, around}) * SolidVolume::kBlock,
                              (2 * around + 1) * SolidVolume::kBlock);
    } else {
      next = t;
      if (auto hit = walk_block(line, block, cell, next, to)) return hit;
    }
    t = std::max(next, t + kPast);
  }
  return std::nullopt;
}

// From cell to cell as in Amanatides and Woo (1987), up to the end of the block; `t` is then where that is.
std::optional<Hit> SolidTracer::walk_block(const Line& line, const Vec3i& block, Vec3i cell, double& t,
                                           double to) const {
  constexpr int kBlock = SolidVolume::kBlock;
  const uint64_t crossed = volume_.crossed(block);
  const Vec3i low = block * kBlock;
  Vec3d leaves, between;
  Vec3i step;
  for (int axis = 0; axis < 3; ++axis) {
    leaves[axis] = line.leaves(axis, cell[axis], cell[axis] + 1);
    between[axis] = std::abs(line.inverse[axis]);
    step[axis] = line.direction[axis] > 0 ? 1 : -1;
  }
  for (;;) {
    const int axis = leaves.x < leaves.y ? (leaves.x < leaves.z ? 0 : 2) : (leaves.y < leaves.z ? 1 : 2);
    const Vec3i inner = cell - low;
    const double next = std::min(leaves[axis], to);
    if ((crossed >> ((inner.z * kBlock + inner.y) * kBlock + inner.x) & 1) != 0)
      if (auto hit = search_cell(line, cell, t, std::max(next, t))) return hit;
    t = std::max(next, t);
    cell[axis] += step[axis];
    leaves[axis] += between[axis];
    if (t >= to || unsigned(cell[axis] - low[axis]) >= unsigned(kBlock)) return std::nullopt;
  }
}

std::optional<Hit> SolidTracer::search_cell(const Line& line, const Vec3i& cell, double from,
                                            double to) const {
  const ByteGrid& fine = volume_.fine();
  const uint8_t* corner = fine.values.data() + fine.index(cell.x, cell.y, cell.z);
  const std::size_t row = fine.size.x, layer = row * fine.size.y;
  const std::array<uint8_t, 8> v{
      corner[0],     corner[1],         corner[row],         corner[row + 1],
      corner[layer], corner[layer + 1], corner[layer + row], corner[layer + row + 1]};

  const auto value = [&](double t) {
    const Vec3d p = line.at(t);
    const float x = float(p.x - cell.x), y = float(p.y - cell.y), z = float(p.z - cell.z);
    const auto mix = [](float a, float b, float share) { return a + share * (b - a); };
    return mix(mix(mix(v[0], v[1], x), mix(v[2], v[3], x), y), mix(mix(v[4], v[5], x), mix(v[6], v[7], x), y),
               z);
  };
  constexpr int kSamples = 2;
  double below = from;
  for (int i = 0; i <= kSamples; ++i) {
    double above = from + (to - from) * (i * (1.0 / kSamples));
    if (value(above) < SolidVolume::kSurface) {
      below = above;
      continue;
    }
    for (int halving = 0; halving < 6; ++halving) {
      const double middle = 0.5 * (below + above);
      (value(middle) < SolidVolume::kSurface ? below : above) = middle;
    }
    const Vec3d p = line.at(above);
    return Hit{{float(p.x), float(p.y), float(p.z)}, above};
  }
  return std::nullopt;
}

}  // namespace kiln
