// Threads that work in step. Under ThreadSanitizer the plain integers here are what it looks at.
#include "engine/host/team.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace kiln {
namespace {

// Every member adds up what all wrote in the step before; a member that is a step ahead or behind spoils the
// sum.
int64_t sum_in_step(Team& team, int steps) {
  const auto count = std::size_t(team.members());
  std::vector<int64_t> written(2 * count, 1), sums(count, 0);
  team.run([&](int member) {
    for (int step = 0; step < steps; ++step) {
      const auto from = written.begin() + std::ptrdiff_t(step % 2 == 0 ? 0 : count);
      const int64_t sum = std::accumulate(from, from + std::ptrdiff_t(count), int64_t(0));
      written[(step % 2 == 0 ? count : 0) + std::size_t(member)] = sum % 1000003 + member;
      if (step % 97 == member % 97) std::this_thread::sleep_for(std::chrono::microseconds(200));
      team.wait();
      sums[std::size_t(member)] = sum;
    }
  });
  for (const int64_t sum : sums) EXPECT_EQ(sum, sums[0]);
  return sums[0];
}

int64_t expected_sum(int64_t members, int steps) {
  int64_t sum = members;
  for (int step = 1; step < steps; ++step) sum = members * (sum % 1000003) + members * (members - 1) / 2;
  return sum;
}

TEST(Team, StaysInStepWithFewerAndWithMoreMembersThanCores) {
  for (const int members : {1, 2, 3, all_threads() + 1, 4 * all_threads() + 3}) {
    Team team(members);
    for (const int steps : {1, 2, 700})
      EXPECT_EQ(sum_in_step(team, steps), expected_sum(members, steps)) << members;
  }
}

// Members sleep between two runs, and are woken to end.
TEST(Team, RunsAgainAfterAPauseAndEndsAfterOne) {
  Team team(3);
  const auto pause = [] { std::this_thread::sleep_for(std::chrono::milliseconds(3)); };
  for (int run = 0; run < 5; ++run) {
    pause();
    EXPECT_EQ(sum_in_step(team, 10), expected_sum(3, 10));
  }
  pause();
  Team unused(4);
  pause();
}

}  // namespace
}  // namespace kiln
