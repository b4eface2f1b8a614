// Length. H = lambda (L - Lt)^2 for every cell, L the long axis of the ellipse, or ellipsoid, that has the
// second moments of the cell: L = 4 sqrt(l) in 2-D and 2 sqrt(5 l) in 3-D, l the largest eigenvalue of the
// covariance of its sites' places. A second part may hold the short axis, from the smallest eigenvalue. The
// medium has none. (Merks et al. 2006. Long cells may break in two where `connectivity` does not forbid it.)
//
// Sums are exact, and nothing depends on the order of axes: turning a cell by 90 degrees, or moving it across
// a periodic wall, changes no bit.
#pragma once

#include "core/math.hpp"
#include "core/moments.hpp"
#include "terms/term.hpp"

namespace kiln::length {

struct Params {
  float target = 0;
  float lambda = 0;
  float minor_target = 0;
  float minor_lambda = 0;
};

struct Axes {
  double longest = 0, shortest = 0;  // in sites, end to end
};

namespace detail {
KILN_HD inline double absolute(double x) { return x < 0 ? -x : x; }
KILN_HD inline void order(double& a, double& b, bool swapped) {
  const double low = swapped ? b : a, high = swapped ? a : b;
  a = low, b = high;
}
// The same bits in whatever order the three come.
KILN_HD inline double sum_of(double a, double b, double c) {
  order(a, b, b < a), order(b, c, c < b), order(a, b, b < a);
  return (a + b) + c;
}
KILN_HD inline double product_of(double a, double b, double c) {
  const auto after = [](double x, double y) { return absolute(y) < absolute(x); };
  order(a, b, after(a, b)), order(b, c, after(b, c)), order(a, b, after(a, b));
  return (a * b) * c;
}
// The largest root of x^3 - j2 x - j3, which has three real ones: Laguerre's steps from a bound above it,
// which fall and never pass it. Five reach it to rounding.
KILN_HD inline double largest_root(double j2, double j3) {
  double x = 2 * sqrt_of(j2 / 3);
  for (int step = 0; step < 5; ++step) {
    const double value = (x * x - j2) * x - j3, slope = 3 * x * x - j2;
    const double inner = 4 * slope * slope - 36 * value * x;
    const double divisor = slope + sqrt_of(inner > 0 ? inner : 0);
    if (!(value > 0) || !(divisor > 0)) break;
    x -= 3 * value / divisor;
  }
  return x;
}
KILN_HD inline double root_or_zero(double x) { return x > 0 ? sqrt_of(x) : 0; }
}  // namespace detail

// Of a cell with `volume` sites, whose offsets from some place add up to `sum` and their products to
// `moments`.
KILN_HD inline Axes axes_of(int64_t volume, const Vec3<int64_t>& sum, const Moments& moments, int dimension) {
  if (volume < 2) return {};
  const auto covariance = [&](int k, int64_t a, int64_t b) {
    return double(covariance_numerator(volume, moments, k, a, b)) / (double(volume) * double(volume));
  };
  const double xx = covariance(0, sum.x, sum.x), yy = covariance(1, sum.y, sum.y);
  const double xy = covariance(2, sum.x, sum.y);
  if (dimension == 2) {
    const double middle = (xx + yy) / 2, half = (xx - yy) / 2, radius = sqrt_of(half * half + xy * xy);
    return {4 * detail::root_or_zero(middle + radius), 4 * detail::root_or_zero(middle - radius)};
  }
  const double zz = covariance(3, sum.z, sum.z), xz = covariance(4, sum.x, sum.z);
  const double yz = covariance(5, sum.y, sum.z);
  const double middle = detail::sum_of(xx, yy, zz) / 3;
  const double dx = xx - middle, dy = yy - middle, dz = zz - middle;  // without the ball in it
  const double j2 = detail::sum_of(dx * dx, dy * dy, dz * dz) / 2 + detail::sum_of(xy * xy, xz * xz, yz * yz);
  const double j3 = detail::product_of(dx, dy, dz) + 2 * detail::product_of(xy, xz, yz) -
                    detail::sum_of(dx * (yz * yz), dy * (xz * xz), dz * (xy * xy));
  return {2 * detail::root_or_zero(5 * (middle + detail::largest_root(j2, j3))),
          2 * detail::root_or_zero(5 * (middle - detail::largest_root(j2, -j3)))};
}

KILN_HD inline double energy(const Params& p, const Axes& axes) {
  const double off = axes.longest - double(p.target), minor_off = axes.shortest - double(p.minor_target);
  return double(p.lambda) * off * off + double(p.minor_lambda) * minor_off * minor_off;
}

struct Term : TermDefaults {
  static constexpr const char* kName = "length";
  static constexpr const char* kSummary = "holds a cell at its target length";
  using Params = length::Params;
  static constexpr Parameter kParameters[] = {
      {"target", Kind::real, 0, 1e5, 0, true, "site edges",
       "length of the long axis at which the energy is zero, Lt"},
      {"lambda", Kind::real, 0, kAnyEnergy, 1, false, "energy/edges^2", "stiffness"},
      {"minor_target", Kind::real, 0, 1e5, 0, false, "site edges", "the same for the short axis"},
      {"minor_lambda", Kind::real, 0, kAnyEnergy, 0, false, "energy/edges^2", "its stiffness; 0: free"},
  };
  struct Slot {
    Params length;
  };
  struct Use {
    bool length = false;
  };
  static constexpr auto kParams = &Slot::length;
  static constexpr auto kUse = &Use::length;
  static constexpr TermScope kScope = TermScope::cells;
  static constexpr OptionalColumn kReads = OptionalColumn::moments;
  static constexpr bool kNeedsPlace = true;
  static constexpr bool acts(const Params& p) { return p.lambda != 0 || p.minor_lambda != 0; }

  template <class Cell>
  KILN_HD static Axes axes(const Cell& cell) {
    return axes_of(cell.volume(), cell.sum(), cell.moments(), cell.dimension());
  }
  template <class Cell>
  KILN_APART static float delta(const Params& p, const Cell& cell, const SiteChange& change) {
    if (!acts(p)) return 0;
    Vec3<int64_t> sum = cell.sum();
    Moments moments = cell.moments();
    const Vec3i offset = cell.offset_of(change.place);
    for (int axis = 0; axis < cell.dimension(); ++axis) sum[axis] += change.sign * offset[axis];
    moments.add(offset, change.sign, cell.dimension());
    const Axes after = axes_of(cell.volume() + change.sign, sum, moments, cell.dimension());
    return float(length::energy(p, after) - length::energy(p, axes(cell)));
  }
  template <class Cell>
  static double energy(const Params& p, const Cell& cell) {
    return length::energy(p, axes(cell));
  }
  // A site at an end changes L by 1.5 L / V.
  template <class Type>
  static double weight_of_a_site(const Type& type, const SurroundingsShape&) {
    const double per_volume = type.volume.target > 0 ? 1.5 / double(type.volume.target) : 1.5;
    const double step = per_volume * double(type.length.target);
    const double minor_step = per_volume * double(type.length.minor_target);
    return 2 * (double(type.length.lambda) * step * step +
                double(type.length.minor_lambda) * minor_step * minor_step);
  }
};

}  // namespace kiln::length
