#include "base/text.hpp"

#include <gtest/gtest.h>

#include "base/hash.hpp"

namespace kiln {
namespace {

TEST(Text, NumbersAreAllOfAText) {
  EXPECT_EQ(number_in("1.5e3"), 1500.0);
  EXPECT_EQ(number_in("-0.25"), -0.25);
  for (const char* text : {"", " 1", "1 ", "1,5", "nan", "inf", "-inf", "1e999", "0x10", "one"})
    EXPECT_EQ(number_in(text), std::nullopt) << text;
}

TEST(Text, WholeNumbersMayHaveAnExponent) {
  EXPECT_EQ(whole_in("1e3"), 1000);
  EXPECT_EQ(whole_in("20.0"), 20);
  EXPECT_EQ(whole_in("-7"), -7);
  EXPECT_EQ(whole_in("9223372036854775807"), 9223372036854775807);
  for (const char* text : {"", "1.5", "9223372036854775808", "1e17", "nan", "10x"})
    EXPECT_EQ(whole_in(text), std::nullopt) << text;
}

TEST(Text, Trimmed) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
}

TEST(Text, TheNearestName) {
  const std::string_view known[] = {"run", "render", "validate"};
  EXPECT_EQ(nearest_name("rnu", known), "run");
  EXPECT_EQ(nearest_name("valdate", known), "validate");
  EXPECT_EQ(nearest_name("simulate", known), "");
}

// Seeds and names in caches depend on these values.
TEST(Hash, HasThePublishedValues) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
  using Wide = unsigned __int128;
  const Wide a = fnv1a<Wide>("a");
  EXPECT_EQ(uint64_t(a >> 64), 0xd228cb696f1a8cafu);
  EXPECT_EQ(uint64_t(a), 0x78912b704e4a8964u);
  EXPECT_EQ(mixed_bits(0), 0u);
  EXPECT_EQ(mixed_bits(1), 0xb456bcfc34c2cb2cu);
}

}  // namespace
}  // namespace kiln
