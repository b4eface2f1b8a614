#include "core/division.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "core/centroid.hpp"

namespace kiln {
namespace {

struct Shape {
  int dimension;
  std::vector<Vec3i> sites;
  Vec3i anchor{0, 0, 0};

  int64_t volume() const { return int64_t(sites.size()); }
  Vec3<int64_t> sum() const {
    Vec3<int64_t> total{0, 0, 0};
    for (const Vec3i& site : sites)
      for (int axis = 0; axis < 3; ++axis) total[axis] += site[axis] - anchor[axis];
    return total;
  }
  Moments moments() const {
    Moments total;
    for (const Vec3i& site : sites) total.add(site - anchor, 1, dimension);
    return total;
  }
  PrincipalAxes axes() const { return principal_axes(volume(), sum(), moments(), dimension); }
  // Of the first daughter.
  std::vector<bool> cut(const Vec3d& normal) const {
    std::vector<bool> first;
    for (const Vec3i& site : sites)
      first.push_back(is_first_daughter(normal, volume(), sum(), site - anchor, site));
    return first;
  }
};

Shape filled(int dimension, int32_t reach, const std::function<bool(double, double, double)>& inside) {
  Shape shape{dimension, {}};
  for (int32_t z = dimension == 3 ? -reach : 0; z <= (dimension == 3 ? reach : 0); ++z)
    for (int32_t y = -reach; y <= reach; ++y)
      for (int32_t x = -reach; x <= reach; ++x)
        if (inside(x, y, z)) shape.sites.push_back({x, y, z});
  return shape;
}

double length_of(const Vec3d& v) { return std::sqrt(dot(v, v)); }
int64_t count_of(const std::vector<bool>& first) { return std::count(first.begin(), first.end(), true); }

constexpr DivisionDraws kDraws{7, 11, 13};

// An ellipse that lies at any angle is cut across its long axis, into halves.
TEST(Division, CutsAcrossTheLongAxis) {
  for (int degrees = 0; degrees < 180; degrees += 7) {
    const double c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
    const Shape ellipse = filled(2, 24, [&](double x, double y, double) {
      const double along = c * x + s * y, beside = c * y - s * x;
      return along * along / 400 + beside * beside / 64 <= 1;
    });
    const Vec3d across = division_normal(DivisionPlane::across, ellipse.axes(), 2, kDraws);
    const Vec3d along = division_normal(DivisionPlane::along, ellipse.axes(), 2, kDraws);
    EXPECT_NEAR(std::fabs(across.x * c + across.y * s), 1, 1e-3) << degrees;
    EXPECT_NEAR(std::fabs(along.x * c + along.y * s), 0, 0.05) << degrees;
    for (const Vec3d& normal : {across, along}) {
      EXPECT_NEAR(length_of(normal), 1, 1e-14);
      EXPECT_NEAR(double(count_of(ellipse.cut(normal))), ellipse.volume() / 2.0, 20) << degrees;  // a row
    }
  }
  const Shape ellipsoid = filled(3, 12, [](double x, double y, double z) {
    return (x + z) * (x + z) / 2 / 121 + (x - z) * (x - z) / 2 / 16 + y * y / 49 <= 1;
  });
  const PrincipalAxes axes = ellipsoid.axes();
  EXPECT_NEAR(std::fabs(axes.axis[0].x + axes.axis[0].z), std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(std::fabs(axes.axis[1].y), 1, 1e-6);
  EXPECT_GT(axes.variance[0], axes.variance[1]);
  EXPECT_GT(axes.variance[1], axes.variance[2]);
  for (int i = 0; i < 3; ++i) {
    EXPECT_NEAR(length_of(axes.axis[i]), 1, 1e-14);
    EXPECT_NEAR(dot(axes.axis[i], axes.axis[(i + 1) % 3]), 0, 1e-14);
  }
  EXPECT_NEAR(std::fabs(division_normal(DivisionPlane::along, axes, 3, kDraws).y), 1, 1e-6);
  EXPECT_NEAR(double(count_of(ellipsoid.cut(division_normal(DivisionPlane::across, axes, 3, kDraws)))),
              ellipsoid.volume() / 2.0, 100);
}

// Axes along those of the lattice, lines, single sites, rings: every shape has a plane.
TEST(Division, NeverFails) {
  const std::vector<Shape> shapes = {
      {2, {{0, 0, 0}}},
      {2, {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}},
      {3, {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}}},
      {3, {{5, 5, 5}}},
      filled(2, 6, [](double x, double y, double) { return std::fabs(x) <= 3 && std::fabs(y) <= 3; }),
      filled(2, 9, [](double x, double y, double) { return std::fabs(std::hypot(x, y) - 7) < 1; }),
      filled(3, 6, [](double x, double y, double z) { return x * x + y * y + z * z < 36; }),
      filled(3, 6, [](double x, double y, double z) { return x * x + y * y < 36 && std::fabs(z) < 2; }),
      filled(3, 6, [](double x, double y, double z) { return x * x + y * y < 5 && std::fabs(z) < 6; }),
  };
  for (std::size_t i = 0; i < shapes.size(); ++i)
    for (const DivisionPlane plane : {DivisionPlane::across, DivisionPlane::along, DivisionPlane::random}) {
      const Shape& shape = shapes[i];
      const Vec3d normal = division_normal(plane, shape.axes(), shape.dimension, kDraws);
      EXPECT_NEAR(length_of(normal), 1, 1e-12) << "shape " << i;
      const int64_t first = count_of(shape.cut(normal));
      if (shape.volume() < 2) continue;
      EXPECT_GT(first, 0) << "shape " << i;
      EXPECT_LT(first, shape.volume()) << "shape " << i;
    }
  // A pancake is cut at right angles to its plane, a rod across.
  EXPECT_NEAR(division_normal(DivisionPlane::across, shapes[7].axes(), 3, kDraws).z, 0, 1e-12);
  EXPECT_NEAR(std::fabs(division_normal(DivisionPlane::across, shapes[8].axes(), 3, kDraws).z), 1, 1e-12);
}

// The anchor is a place near the cell, any one.
TEST(Division, DoesNotDependOnTheAnchor) {
  Shape shape = filled(3, 8, [](double x, double y, double z) {
    return x * x / 60 + y * y / 20 + (z - x / 3) * (z - x / 3) / 9 < 1;
  });
  const PrincipalAxes axes = shape.axes();
  const Vec3d normal = division_normal(DivisionPlane::across, axes, 3, kDraws);
  const std::vector<bool> first = shape.cut(normal);
  for (const Vec3i& anchor : {Vec3i{3, -2, 5}, Vec3i{1000, -700, 31}, Vec3i{-20'000, 20'000, 7}}) {
    shape.anchor = anchor;
    const PrincipalAxes moved = shape.axes();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(moved.axis[i], axes.axis[i]);
      EXPECT_EQ(moved.variance[i], axes.variance[i]);
    }
    EXPECT_EQ(shape.cut(normal), first);
  }
}

// Random planes point everywhere alike: chi^2 over octants and a cap, 20,000 directions. Expected counts are
// exact; the bounds are passed by chance once in a million.
TEST(Division, DrawsDirectionsEvenly) {
  constexpr int kDirections = 20'000;
  for (const int dimension : {2, 3}) {
    std::vector<int> octants(8, 0);
    int cap = 0, positive = 0;
    for (CellId mother = 1; mother <= kDirections; ++mother) {
      const Vec3d n = division_normal(DivisionPlane::random, {}, dimension, {3, mother, 40});
      octants[std::size_t((n.x > 0) + 2 * (n.y > 0) + 4 * (n.z > 0))] += 1;
      cap += std::fabs(n.x) > 0.5;
      positive += division_normal(DivisionPlane::across, {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {9, 4, 1}},
                                  dimension, {3, mother, 40})
                      .x > 0;
    }
    const int cells = dimension == 3 ? 8 : 4;
    double chi2 = 0;
    for (int i = 0; i < cells; ++i) {
      const double expected = double(kDirections) / cells;
      chi2 += (octants[std::size_t(i)] - expected) * (octants[std::size_t(i)] - expected) / expected;
    }
    EXPECT_LT(chi2, dimension == 3 ? 43.8 : 32.0) << dimension << "-D";
    const double share = dimension == 3 ? 0.5 : 2.0 / 3;  // the area beyond 60 degrees from the equator
    EXPECT_NEAR(cap, share * kDirections, 4.9 * std::sqrt(kDirections * share * (1 - share)))
        << dimension << "-D";
    EXPECT_NEAR(positive, kDirections / 2.0, 4.9 * std::sqrt(kDirections / 4.0));
  }
}

}  // namespace
}  // namespace kiln
