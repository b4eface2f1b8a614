#include "core/math.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

TEST(Math, UnitVector) {
  EXPECT_EQ(unit_vector({0, 0, 0}), (Vec3d{0, 0, 0}));
  EXPECT_EQ(unit_vector({3, 4, 0}), (Vec3d{0.6, 0.8, 0}));
}

}  // namespace
}  // namespace kiln
