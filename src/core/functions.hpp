// Elementary functions in double, the same bits on every processor and GPU: see core/math.hpp. Relative
// errors are a few units in the last place, those of powers that are no integers larger by the logarithm of
// the result.
#pragma once

#include "core/math.hpp"

namespace kiln {

namespace detail {

inline constexpr double kLn2High = 0x1.62e42fef00000p-1, kLn2Low = 0x1.473de6af278edp-34;
inline constexpr double kLog2E = 0x1.71547652b82fep+0;
// pi/2 in parts: products of the first two with integers below 2^20 are exact.
inline constexpr double kHalfPi1 = 0x1.921fb54400000p+0, kHalfPi2 = 0x1.0b4611a600000p-34,
                        kHalfPi3 = 0x1.3198a2e037073p-69, kTwoByPi = 0x1.45f306dc9c883p-1;
inline constexpr double kRounder = 0x1.8p52;  // added and taken away, rounds to the nearest integer
inline constexpr uint64_t kInfinity = 0x7FF0000000000000ull, kNotANumber = 0x7FF8000000000000ull;

KILN_HD inline double infinity() { return double_of(kInfinity); }
KILN_HD inline double not_a_number() { return double_of(kNotANumber); }
// 2^n for n in [-1022, 1023].
KILN_HD inline double power_of_two(int64_t n) { return double_of(uint64_t(n + 1023) << 52); }

// e^r - 1 for |r| <= 0.35: the Taylor series, cut after r^14.
KILN_HD inline double small_expm1(double r) {
  double series = 1.0 / 87178291200.0;
  series = series * r + 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  return r + r * r * series;
}

}  // namespace detail

KILN_HD inline double abs_of(double v) {
  return detail::double_of(detail::bits_of(v) & 0x7FFFFFFFFFFFFFFFull);
}
KILN_HD inline bool is_finite(double v) {
  return (detail::bits_of(v) & detail::kInfinity) != detail::kInfinity;
}

KILN_HD inline double floor_of(double v) {
  constexpr double kWhole = 0x1p52;  // from here on all numbers are integers
  if (!(abs_of(v) < kWhole)) return v;
  const double nearest = v < 0 ? (v - kWhole) + kWhole : (v + kWhole) - kWhole;
  return nearest > v ? nearest - 1.0 : nearest;
}

KILN_HD inline double exp_of(double v) {
  if (v > 709.782712893384) return detail::infinity();
  if (v < -745.2) return 0.0;
  if (!(v == v)) return v;
  const double shifted = v * detail::kLog2E + detail::kRounder, whole = shifted - detail::kRounder;
  const double r = (v - whole * detail::kLn2High) - whole * detail::kLn2Low;
  const int64_t n = int64_t(detail::bits_of(shifted)) - int64_t(detail::bits_of(detail::kRounder));
  const int64_t half = n / 2;  // in two steps: results may be subnormal
  return (1.0 + detail::small_expm1(r)) * detail::power_of_two(half) * detail::power_of_two(n - half);
}

// With v = 2^e m, m in [1/sqrt 2, sqrt 2) and s = (m - 1)/(m + 1), ln m is 2 artanh s; cut after s^21.
KILN_HD inline double log_of(double v) {
  if (v == 0) return -detail::infinity();
  if (!(v > 0)) return detail::not_a_number();
  if (!is_finite(v)) return v;
  const bool subnormal = v < 0x1p-1022;
  const uint64_t shifted = detail::bits_of(subnormal ? v * 0x1p54 : v) - 0x3FE6A09E667F3BCDull;
  const double exponent = double(int64_t(shifted) >> 52) - (subnormal ? 54.0 : 0.0);
  const double m = detail::double_of((shifted & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull);
  const double s = (m - 1.0) / (m + 1.0), q = s * s;
  double series = 2.0 / 21.0;
  series = series * q + 2.0 / 19.0;
  series = series * q + 2.0 / 17.0;
  series = series * q + 2.0 / 15.0;
  series = series * q + 2.0 / 13.0;
  series = series * q + 2.0 / 11.0;
  series = series * q + 2.0 / 9.0;
  series = series * q + 2.0 / 7.0;
  series = series * q + 2.0 / 5.0;
  series = series * q + 2.0 / 3.0;
  const double log_m = 2.0 * s + s * q * series;
  return exponent * detail::kLn2High + (exponent * detail::kLn2Low + log_m);
}

KILN_HD inline double tanh_of(double v) {
  const double size = abs_of(v);
  if (!(v == v)) return v;
  const double grown =
      size > 0.17 ? exp_of(size < 20 ? 2.0 * size : 40.0) - 1.0 : detail::small_expm1(2.0 * size);
  const double result = grown / (grown + 2.0);
  return v < 0 ? -result : result;
}

namespace detail {

// Angles beyond this have lost their place in the circle: the sine of one is no number.
inline constexpr double kLargestAngle = 1e6;

// The sine of `quarters` right angles and r, |r| <= pi/4.
KILN_HD inline double sine_of(double r, int64_t quarters) {
  const double q = r * r;
  double result;
  if (quarters & 1) {
    double series = -1.0 / 6402373705728000.0;
    series = series * q + 1.0 / 20922789888000.0;
    series = series * q - 1.0 / 87178291200.0;
    series = series * q + 1.0 / 479001600.0;
    series = series * q - 1.0 / 3628800.0;
    series = series * q + 1.0 / 40320.0;
    series = series * q - 1.0 / 720.0;
    series = series * q + 1.0 / 24.0;
    result = 1.0 + (-0.5 * q + q * q * series);
  } else {
    double series = 1.0 / 355687428096000.0;
    series = series * q - 1.0 / 1307674368000.0;
    series = series * q + 1.0 / 6227020800.0;
    series = series * q - 1.0 / 39916800.0;
    series = series * q + 1.0 / 362880.0;
    series = series * q - 1.0 / 5040.0;
    series = series * q + 1.0 / 120.0;
    series = series * q - 1.0 / 6.0;
    result = r + r * q * series;
  }
  return (quarters & 2) != 0 ? -result : result;
}
KILN_HD inline double shifted_sine(double v, int64_t quarters) {
  if (!(abs_of(v) <= kLargestAngle)) return not_a_number();
  const double shifted = v * kTwoByPi + kRounder, whole = shifted - kRounder;
  const double r = ((v - whole * kHalfPi1) - whole * kHalfPi2) - whole * kHalfPi3;
  return sine_of(r, int64_t(bits_of(shifted)) - int64_t(bits_of(kRounder)) + quarters);
}

}  // namespace detail

KILN_HD inline double sin_of(double v) { return detail::shifted_sine(v, 0); }
KILN_HD inline double cos_of(double v) { return detail::shifted_sine(v, 1); }

// Integer powers up to 1024 are products; other ones need a positive base.
KILN_HD inline bool is_power_of_products(double exponent) {
  const double size = abs_of(exponent);
  return size <= 1024 && floor_of(size) == size;
}
KILN_HD inline double pow_of(double base, double exponent) {
  if (is_power_of_products(exponent)) {
    double result = 1.0, square = base;
    for (int32_t n = int32_t(abs_of(exponent)); n > 0; n >>= 1) {
      if (n & 1) result = result * square;
      square = square * square;
    }
    return exponent < 0 ? 1.0 / result : result;
  }
  if (base == 0 && exponent == exponent) return exponent > 0 ? 0.0 : detail::infinity();
  return exp_of(exponent * log_of(base));
}

}  // namespace kiln
