#include "core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kiln {
namespace {

// The known answers that its authors publish for Philox 4x32-10.
TEST(Philox, KnownAnswers) {
  const Draw zero = philox({0, 0, 0, 0}, 0, 0);
  EXPECT_EQ(zero.a, 0x6627e8d5u);
  EXPECT_EQ(zero.b, 0xe169c58du);
  EXPECT_EQ(zero.c, 0xbc57ac4cu);
  EXPECT_EQ(zero.d, 0x9b00dbd8u);
  const Draw ones = philox({~0u, ~0u, ~0u, ~0u}, ~0u, ~0u);
  EXPECT_EQ(ones.a, 0x408f276du);
  EXPECT_EQ(ones.b, 0x41c83b0eu);
  EXPECT_EQ(ones.c, 0xa20bc7c6u);
  EXPECT_EQ(ones.d, 0x6d5451fdu);
  const Draw pi = philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, 0xa4093822u, 0x299f31d0u);
  EXPECT_EQ(pi.a, 0xd16cfe09u);
  EXPECT_EQ(pi.b, 0x94fdccebu);
  EXPECT_EQ(pi.c, 0x5001e420u);
  EXPECT_EQ(pi.d, 0x24126ea1u);
}

TEST(Philox, ManyAtOnceAreTheSameDraws) {
  for (const int count : {1, 7, 8, 9, 64, 131}) {
    std::vector<uint64_t> many(std::size_t(2 * count));
    const uint64_t first = 0xFFFFFFFCull;  // crosses into the high word
    draw_many(0x123456789ABCDEFull, Stream::pictures, first, 42, count, many.data());
    for (int i = 0; i < count; ++i) {
      const Draw one = draw(0x123456789ABCDEFull, Stream::pictures, first + uint64_t(i), 42);
      EXPECT_EQ(many[std::size_t(2 * i)], one.ab());
      EXPECT_EQ(many[std::size_t(2 * i + 1)], one.cd());
    }
  }
}

TEST(Philox, StreamsSeedsAndStepsDiffer) {
  const Draw base = draw(1, Stream::attempts, 5, 6);
  EXPECT_NE(base.ab(), draw(2, Stream::attempts, 5, 6).ab());
  EXPECT_NE(base.ab(), draw(1, Stream::pictures, 5, 6).ab());
  EXPECT_NE(base.ab(), draw(1, Stream::attempts, 6, 6).ab());
  EXPECT_NE(base.ab(), draw(1, Stream::attempts, 5, 7).ab());
}

TEST(Digits, AreThoseOfTheNumber) {
  Digits half{uint64_t(1) << 63};  // 0.5 = 0.1 in base 2 = 0.5 in base 10, then nothing left
  EXPECT_EQ(half.take(10), 5u);
  EXPECT_EQ(half.rest, 0u);
  Digits most{~uint64_t(0)};
  EXPECT_EQ(most.take(7), 6u);
  EXPECT_EQ(most.take(26), 25u);
}

// Chi-square of 7 x 26 equally likely pairs over 182,000 draws: 181 degrees of freedom, and the fixed seed is
// refused above 259, which a fair source exceeds once in 10,000.
TEST(Digits, PairsAreUniform) {
  std::vector<int> count(7 * 26);
  for (uint64_t i = 0; i < 182000; ++i) {
    Digits digits{draw(3, Stream::attempts, i, 0).ab()};
    const uint32_t first = digits.take(7);
    ++count[first * 26 + digits.take(26)];
  }
  double chi = 0;
  for (const int c : count) chi += (c - 1000.0) * (c - 1000.0) / 1000.0;
  EXPECT_LT(chi, 259);
}

TEST(Units, StayInsideTheInterval) {
  EXPECT_GT(unit_double(0), 0.0);
  EXPECT_LT(unit_double(~uint64_t(0)), 1.0);
  EXPECT_GT(unit_float(0), 0.0f);
  EXPECT_LE(unit_float(~0u), 1.0f);
}

}  // namespace
}  // namespace kiln
