#include "model/initial/first_sites.hpp"

#include <gtest/gtest.h>

#include <random>

namespace kiln {
namespace {

// Against a plain table: filled from left and right, in stretches and site by site, and freed again.
TEST(SiteStretches, AreWhatWasSet) {
  const Lattice lattice{{70, 3, 2}, {true, true, true}, 3};
  SiteStretches sites(lattice);
  std::vector<bool> plain(std::size_t(lattice.sites()));
  std::mt19937 random(1);
  const auto below = [&](int n) { return int32_t(random() % unsigned(n)); };
  int full = 0, empty = 0;
  for (int turn = 0; turn < 3000; ++turn) {
    const int32_t y = below(3), z = below(2), first = below(4) == 0 ? 0 : below(70);
    const int32_t length = below(3) == 0 ? 70 : 1 + below(20);
    const bool value = below(2) == 0, backwards = below(2) == 0;
    for (int32_t i = 0; i < length; ++i) {
      const int32_t x = (first + (backwards ? length - 1 - i : i)) % 70;
      sites.set({x, y, z}, value);
      plain[std::size_t(lattice.index({x, y, z}))] = value;
    }
    int32_t set = 0;
    for (int32_t x = 0; x < 70; ++x) {
      const bool expected = plain[std::size_t(lattice.index({x, y, z}))];
      ASSERT_EQ((sites[{x, y, z}]), expected) << turn << ": " << x;
      set += expected ? 1 : 0;
    }
    full += set == 70 ? 1 : 0;
    empty += set == 0 ? 1 : 0;
  }
  EXPECT_GT(full, 100);
  EXPECT_GT(empty, 100);
}

TEST(SiteStretches, AreNoneWhereThereIsNoLattice) { EXPECT_TRUE(SiteStretches().empty()); }

}  // namespace
}  // namespace kiln
