#include "core/functions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kiln {
namespace {

TEST(Math, Log2IsAccurate) {
  for (float v = 0x1p-33f; v < 1e6f; v *= 1.00037f)
    EXPECT_NEAR(log2_of(v), std::log2(double(v)), 3e-7 * std::max(1.0, std::fabs(std::log2(double(v))))) << v;
  for (double v = 0x1p-60; v < 1e6; v *= 1.00137)
    EXPECT_NEAR(log2_of(v), std::log2(v), 4e-16 * std::max(1.0, std::fabs(std::log2(v)))) << v;
  EXPECT_EQ(log2_of(1.0f), 0.0f);
  EXPECT_EQ(log2_of(0x1p-32f), -32.0f);
  EXPECT_EQ(log2_of(8.0), 3.0);
}

TEST(Math, Exp2IsAccurate) {
  for (float v = -40; v < 40; v += 0.00713f) EXPECT_NEAR(exp2_of(v) / std::exp2(double(v)), 1.0, 2.5e-7) << v;
  EXPECT_EQ(exp2_of(0.0f), 1.0f);
  EXPECT_EQ(exp2_of(10.0f), 1024.0f);
}

// Bits that every platform must give: the state hash depends on them.
TEST(Math, BitsAreFixed) {
  uint32_t mixed = 0;
  for (uint32_t i = 1; i < 100000; ++i) {
    const float u = float(i) * 0x1.4f8b5p-17f;
    mixed = mixed * 31 + std::bit_cast<uint32_t>(log2_of(u));
    mixed = mixed * 31 + std::bit_cast<uint32_t>(exp2_of(u * 8 - 4));
  }
  EXPECT_EQ(mixed, 3371124689u);
}

// Against long double, in units of the result's last place.
void expect_accurate(const char* name, double (*ours)(double), long double (*exact)(long double), double low,
                     double high, double most_units) {
  double worst = 0, worst_at = 0;
  for (int i = 0; i <= 50'000; ++i) {
    const double v = low + (high - low) * i / 50'000;
    const long double truth = exact(v);
    const double unit =
        std::max(std::nextafter(std::fabs(double(truth)), INFINITY) - std::fabs(double(truth)),
                 std::numeric_limits<double>::denorm_min());
    const double off = double(std::fabs((long double)(ours(v)) - truth)) / unit;
    if (off > worst) worst = off, worst_at = v;
  }
  EXPECT_LE(worst, most_units) << name << "(" << worst_at << ")";
}

TEST(Functions, AreAccurate) {
  expect_accurate("exp", exp_of, std::exp, -700, 700, 2);
  expect_accurate("exp", exp_of, std::exp, -1, 1, 2);
  expect_accurate("exp", exp_of, std::exp, -745, -708, 2);
  expect_accurate("log", log_of, std::log, 1e-3, 1000, 3);
  expect_accurate("log", log_of, std::log, 0.9, 1.1, 3);
  expect_accurate("log", log_of, std::log, 1e-310, 1e-307, 3);
  expect_accurate("tanh", tanh_of, std::tanh, -25, 25, 4);
  expect_accurate("tanh", tanh_of, std::tanh, -0.3, 0.3, 4);
  expect_accurate("sin", sin_of, std::sin, -3, 3, 2);
  expect_accurate("cos", cos_of, std::cos, -3, 3, 2);
  expect_accurate("sin", sin_of, std::sin, -1e6, 1e6, 4);
  expect_accurate("cos", cos_of, std::cos, -1e6, 1e6, 4);
}

TEST(Functions, KnowTheirLimits) {
  const double infinite = std::numeric_limits<double>::infinity(), none = std::nan("");
  EXPECT_EQ(exp_of(0), 1);
  EXPECT_EQ(exp_of(710), infinite);
  EXPECT_EQ(exp_of(-infinite), 0);
  EXPECT_EQ(log_of(1), 0);
  EXPECT_EQ(log_of(0), -infinite);
  EXPECT_EQ(log_of(infinite), infinite);
  EXPECT_EQ(tanh_of(1e300), 1);
  EXPECT_EQ(tanh_of(-infinite), -1);
  EXPECT_EQ(sin_of(0), 0);
  EXPECT_EQ(cos_of(0), 1);
  for (const double bad : {exp_of(none), log_of(-1), log_of(none), tanh_of(none), sin_of(2e6), cos_of(none),
                           pow_of(-2, 0.5), pow_of(none, 0.5)})
    EXPECT_FALSE(bad == bad);
  for (const double v : {0.0, 0.5, -0.5, 2.0, -2.0, 1e15 + 0.5, -1e15 - 0.5, 4503599627370495.5, 1e300})
    EXPECT_EQ(floor_of(v), std::floor(v)) << v;
  EXPECT_EQ(pow_of(3, 5), 243);
  EXPECT_EQ(pow_of(-2, 3), -8);
  EXPECT_EQ(pow_of(2, -2), 0.25);
  EXPECT_EQ(pow_of(0, 0), 1);
  EXPECT_EQ(pow_of(0, 0.5), 0);
  EXPECT_EQ(pow_of(0, -0.5), infinite);
  EXPECT_TRUE(is_finite(-1e308));
  EXPECT_FALSE(is_finite(infinite) || is_finite(none));
}

TEST(Functions, PowersAreAccurate) {
  for (double base = 0.01; base < 50; base *= 1.07)
    for (double exponent = -8; exponent < 8; exponent += 0.13) {
      const long double truth = std::pow((long double)(base), (long double)(exponent));
      EXPECT_NEAR(double(pow_of(base, exponent) / truth), 1, 2e-14) << base << "^" << exponent;
    }
}

// Bits that every platform and every GPU must give.
TEST(Functions, BitsAreFixed) {
  uint64_t mixed = 0;
  for (int i = 1; i < 100'000; ++i) {
    const double u = i * 0x1.4f8b5p-17;
    for (const double v : {exp_of(u * 90 - 45), log_of(u), tanh_of(u * 3), sin_of(u * 400), cos_of(u * 400),
                           pow_of(u + 0.5, u * 7), floor_of(u * 1000)})
      mixed = mixed * 31 + std::bit_cast<uint64_t>(v);
  }
  EXPECT_EQ(mixed, 1095962558919362680u);
}

TEST(Math, UnitVector) {
  EXPECT_EQ(unit_vector({0, 0, 0}), (Vec3d{0, 0, 0}));
  EXPECT_EQ(unit_vector({3, 4, 0}), (Vec3d{0.6, 0.8, 0}));
}

}  // namespace
}  // namespace kiln
