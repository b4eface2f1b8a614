// Logarithm and exponential of our own: the libms of two platforms differ in the last bit, and then so would
// two runs. Only +, -, *, / and conversions are used, which IEEE 754 fixes, in a fixed order and never
// contracted.
#pragma once

#include "core/types.hpp"

#ifndef __CUDACC_RTC__
#include <bit>
#include <cmath>
#endif

namespace kiln {

namespace detail {
#ifdef __CUDACC_RTC__
KILN_HD inline uint32_t bits_of(float v) { return __float_as_uint(v); }
KILN_HD inline float float_of(uint32_t b) { return __uint_as_float(b); }
KILN_HD inline uint64_t bits_of(double v) { return uint64_t(__double_as_longlong(v)); }
KILN_HD inline double double_of(uint64_t b) { return __longlong_as_double(int64_t(b)); }
#else
inline uint32_t bits_of(float v) { return std::bit_cast<uint32_t>(v); }
inline float float_of(uint32_t b) { return std::bit_cast<float>(b); }
inline uint64_t bits_of(double v) { return std::bit_cast<uint64_t>(v); }
inline double double_of(uint64_t b) { return std::bit_cast<double>(b); }
#endif
}  // namespace detail

// log2 of a positive, normal float. With v = 2^e m, m in [1/sqrt 2, sqrt 2) and s = (m - 1)/(m + 1), ln m is
// 2 artanh s; the series is cut after s^9 (|s| < 0.172: below half a unit in the last place of the mantissa).
KILN_HD inline float log2_of(float v) {
  const uint32_t bits = detail::bits_of(v);
  const uint32_t shifted = bits - 0x3F3504F3u;  // the bits of 1/sqrt 2
  const int32_t exponent = int32_t(shifted) >> 23;
  const float m = detail::float_of((shifted & 0x007FFFFFu) + 0x3F3504F3u);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float q = s * s;
  float series = 0.32059889797532520f;         // 2 / (9 ln 2)
  series = series * q + 0.41219858311113239f;  // 2 / (7 ln 2)
  series = series * q + 0.57707801635558535f;  // 2 / (5 ln 2)
  series = series * q + 0.96179669392597561f;  // 2 / (3 ln 2)
  series = series * q + 2.8853900817779268f;   // 2 / ln 2
  return float(exponent) + series * s;
}

// The same for double, cut after s^21.
KILN_HD inline double log2_of(double v) {
  const uint64_t bits = detail::bits_of(v);
  const uint64_t shifted = bits - 0x3FE6A09E667F3BCDull;
  const int64_t exponent = int64_t(shifted) >> 52;
  const double m = detail::double_of((shifted & 0x000FFFFFFFFFFFFFull) + 0x3FE6A09E667F3BCDull);
  const double s = (m - 1.0) / (m + 1.0);
  const double q = s * s;
  double series = 0.0;
  for (int k = 21; k >= 1; k -= 2) series = series * q + 2.8853900817779268147 / double(k);
  return double(exponent) + series * s;
}

// 2^v for v in [-126, 127]: the Taylor series of 2^f for |f| <= 1/2, cut after f^7.
KILN_HD inline float exp2_of(float v) {
  const float shifted = v + 12582912.0f;  // 1.5 * 2^23: rounds v to the nearest integer
  const float whole = shifted - 12582912.0f;
  const float f = v - whole;
  float series = 1.5252733804059841e-5f;
  series = series * f + 1.5403530393381608e-4f;
  series = series * f + 1.3333558146428443e-3f;
  series = series * f + 9.6181291076284772e-3f;
  series = series * f + 5.5504108664821580e-2f;
  series = series * f + 2.4022650695910071e-1f;
  series = series * f + 6.9314718055994531e-1f;
  series = series * f + 1.0f;
  return series * detail::float_of(uint32_t(int32_t(whole) + 127) << 23);
}

// Square roots are correctly rounded everywhere.
KILN_HD inline double sqrt_of(double v) {
#ifdef __CUDACC_RTC__
  return __dsqrt_rn(v);
#else
  return std::sqrt(v);
#endif
}

KILN_HD inline Vec3d unit_vector(const Vec3d& v) {
  const double length = sqrt_of(dot(v, v));
  return length > 0 ? Vec3d{v.x / length, v.y / length, v.z / length} : Vec3d{};
}

}  // namespace kiln
