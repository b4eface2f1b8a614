// Where a cell is cut when it divides: the axes of its ellipsoid, a plane through its centroid, and the side
// of the plane on which a site lies. Sums are integers, and the rest uses + - * / and square roots in a fixed
// order: the same bits everywhere, and never a NaN.
#pragma once

#include "core/math.hpp"
#include "core/moments.hpp"
#include "core/random.hpp"

namespace kiln {

// How the plane lies: it cuts the longest axis; it contains that, and cuts the next one; or it lies at
// random.
enum class DivisionPlane : uint8_t { across, along, random };

// Principal axes, the longest first, and the variances of the sites' places along them, times V^2.
struct PrincipalAxes {
  Vec3d axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  double variance[3] = {0, 0, 0};
};

namespace detail {

// One rotation of Jacobi's method, which makes m[p][q] vanish.
KILN_HD inline void rotate(double (&m)[3][3], double (&vectors)[3][3], int p, int q) {
  if (m[p][q] == 0) return;
  const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
  const double size = theta < 0 ? -theta : theta;
  const double root = size > 1e100 ? size : sqrt_of(theta * theta + 1.0);  // theta^2 may overflow
  const double t = (theta < 0 ? -1.0 : 1.0) / (size + root);
  const double c = 1.0 / sqrt_of(t * t + 1.0), s = t * c;
  for (int k = 0; k < 3; ++k) {
    const double kp = m[k][p], kq = m[k][q];
    m[k][p] = c * kp - s * kq;
    m[k][q] = s * kp + c * kq;
  }
  for (int k = 0; k < 3; ++k) {
    const double pk = m[p][k], qk = m[q][k];
    m[p][k] = c * pk - s * qk;
    m[q][k] = s * pk + c * qk;
  }
  m[p][q] = m[q][p] = 0;
  for (int k = 0; k < 3; ++k) {
    const double kp = vectors[k][p], kq = vectors[k][q];
    vectors[k][p] = c * kp - s * kq;
    vectors[k][q] = s * kp + c * kq;
  }
}

}  // namespace detail

// Of a cell with `volume` sites, whose offsets from its anchor add up to `sum` and their products to
// `moments`.
KILN_HD inline PrincipalAxes principal_axes(int64_t volume, const Vec3<int64_t>& sum, const Moments& moments,
                                            int dimension) {
  const auto covariance = [&](int k, int64_t a, int64_t b) {
    return double(covariance_numerator(volume, moments, k, a, b));
  };
  double m[3][3] = {}, vectors[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  m[0][0] = covariance(0, sum.x, sum.x);
  m[1][1] = covariance(1, sum.y, sum.y);
  m[0][1] = m[1][0] = covariance(2, sum.x, sum.y);
  if (dimension == 3) {
    m[2][2] = covariance(3, sum.z, sum.z);
    m[0][2] = m[2][0] = covariance(4, sum.x, sum.z);
    m[1][2] = m[2][1] = covariance(5, sum.y, sum.z);
  }
  constexpr int kSweeps = 6;  // they converge quadratically
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    detail::rotate(m, vectors, 0, 1);
    if (dimension == 3) detail::rotate(m, vectors, 0, 2);
    if (dimension == 3) detail::rotate(m, vectors, 1, 2);
  }
  int order[3] = {0, 1, 2};
  for (const int i : {0, 1, 0})
    if (i + 1 < dimension && m[order[i]][order[i]] < m[order[i + 1]][order[i + 1]]) {
      const int other = order[i];
      order[i] = order[i + 1];
      order[i + 1] = other;
    }
  PrincipalAxes result;
  for (int i = 0; i < 3; ++i) {
    const int k = order[i];
    result.axis[i] = {vectors[0][k], vectors[1][k], vectors[2][k]};
    result.variance[i] = m[k][k] > 0 ? m[k][k] : 0;
  }
  return result;
}

// Numbers that a division draws, keyed by the mother and the MCS.
struct DivisionDraws {
  uint64_t seed;
  CellId mother;
  uint32_t mcs;

  KILN_HD Draw number(uint32_t which) const {
    return draw(seed, Stream::division, uint64_t(which) << 32 | mother, mcs);
  }
  // Uniform over the directions spanned by the first `dimension` of the given axes: points in a cube, until
  // one lies in the ball.
  KILN_HD Vec3d direction(const Vec3d (&axis)[3], int dimension) const {
    constexpr uint32_t kMost = 64;  // tries; half of them succeed
    for (uint32_t which = 1; which <= kMost; ++which) {
      const Draw bits = number(which);
      const double x = (double(bits.a) + 0.5) * 0x1p-31 - 1.0, y = (double(bits.b) + 0.5) * 0x1p-31 - 1.0;
      const double z = dimension == 3 ? (double(bits.c) + 0.5) * 0x1p-31 - 1.0 : 0.0;
      const double square = (x * x + y * y) + z * z;
      if (!(square <= 1.0) || square < 1e-4) continue;
      return unit_vector((axis[0] * x + axis[1] * y) + axis[2] * z);
    }
    return axis[0];
  }
  KILN_HD bool flips() const { return (number(0).a & 1) != 0; }
};

// The normal of the plane. Where two axes are as long as each other, to rounding, their order is drawn. Its
// sign is drawn, so no daughter is favoured.
KILN_HD inline Vec3d division_normal(DivisionPlane plane, const PrincipalAxes& axes, int dimension,
                                     const DivisionDraws& draws) {
  constexpr double kEqual = 1e-9;
  const auto equal = [&](int i) {
    return i + 1 < dimension && axes.variance[i] - axes.variance[i + 1] <= kEqual * axes.variance[0];
  };
  const Vec3d rest[3] = {axes.axis[1], axes.axis[2], axes.axis[0]};
  Vec3d normal;
  if (plane == DivisionPlane::random || (equal(0) && (dimension == 2 || equal(1)))) {
    const Vec3d frame[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    normal = draws.direction(frame, dimension);
  } else if (plane == DivisionPlane::across) {
    normal = equal(0) ? draws.direction(axes.axis, 2) : axes.axis[0];
  } else if (equal(0)) {  // a disc: any axis in it may be the longest
    normal = draws.direction(axes.axis, 2);
  } else {
    normal = equal(1) ? draws.direction(rest, 2) : axes.axis[1];
  }
  return draws.flips() ? normal * -1.0 : normal;
}

// True for sites of the first daughter: those on the side that the normal points to, and, of those on the
// plane, every other one.
KILN_HD inline bool is_first_daughter(const Vec3d& normal, int64_t volume, const Vec3<int64_t>& sum,
                                      const Vec3i& offset, const Vec3i& site) {
  const double side =
      (normal.x * double(volume * offset.x - sum.x) + normal.y * double(volume * offset.y - sum.y)) +
      normal.z * double(volume * offset.z - sum.z);
  if (side != 0) return side > 0;
  return ((site.x + site.y + site.z) & 1) == 0;
}

}  // namespace kiln
