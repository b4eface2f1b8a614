// That neither the number of threads nor a new start from the state at any MCS makes a difference.
#pragma once

#include <gtest/gtest.h>

#include "support/played.hpp"

namespace kiln::test {

// Books are right after every tick. Gives back the tissue as it has become.
inline Played play_with_stops(const std::string& world, const char* schedule, int last_mcs) {
  const std::string name = schedule == std::string("serial") ? "serial" : "threads";
  Played one(world, name, 1, schedule), three(world, name, 3, schedule);
  Played again(one.model, one.first, name, 2, schedule);
  for (int mcs = 1; mcs <= last_mcs && !testing::Test::HasFailure(); ++mcs) {
    one.play(1);
    three.play(1);
    again.play(1);
    EXPECT_EQ(one.books(), "") << schedule << ", MCS " << mcs;
    EXPECT_EQ(one.hash(), three.hash()) << schedule << ", MCS " << mcs;
    EXPECT_EQ(one.hash(), again.hash()) << schedule << ", MCS " << mcs;
    again = Played(one.model, State(again.state()), name, 1 + mcs % 2, schedule);
  }
  return one;
}

}  // namespace kiln::test
