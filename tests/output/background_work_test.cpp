#include "output/run/background_work.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"

namespace kiln {
namespace {

TEST(BackgroundWork, RunsBesideTheCaller) {
  std::promise<void> go;
  std::atomic<bool> done = false;
  BackgroundWork work;
  work.start([&, may_end = go.get_future().share()] {
    may_end.wait();
    done = true;
  });
  work.check();
  EXPECT_FALSE(done);
  go.set_value();
  work.wait();
  EXPECT_TRUE(done);
}

TEST(BackgroundWork, IsDoneOneAfterTheOther) {
  std::string order;  // no lock: the pieces must not overlap
  {
    BackgroundWork work;
    for (const char letter : {'a', 'b', 'c', 'd'}) work.start([&order, letter] { order += letter; });
  }
  EXPECT_EQ(order, "abcd");
}

TEST(BackgroundWork, ErrorsComeOutOfTheNextCallOnce) {
  BackgroundWork work;
  const auto fail = [] { throw Failure("the disk is full."); };
  work.start(fail);
  EXPECT_THROW(work.wait(), Failure);
  work.wait();
  bool started = false;
  work.start(fail);
  EXPECT_THROW(work.start([&started] { started = true; }), Failure);
  EXPECT_FALSE(started);
  work.start(fail);
  EXPECT_THROW(for (;;) work.check(), Failure);
  work.start(fail);  // and the destructor keeps this one to itself
}

#ifdef __linux__
TEST(BackgroundWork, GivesWayWhereAskedTo) {
  const int here = getpriority(PRIO_PROCESS, 0);
  int first = here - 1, second = here - 1, child = here - 1;
  BackgroundWork work;
  work.start([&] { first = getpriority(PRIO_PROCESS, 0); });
  work.start(
      [&] {
        second = getpriority(PRIO_PROCESS, 0);
        std::thread([&] { child = getpriority(PRIO_PROCESS, 0); }).join();
      },
      true);
  work.wait();
  EXPECT_EQ(first, here);
  EXPECT_EQ(second, 19);
  EXPECT_EQ(child, 19);
  EXPECT_EQ(getpriority(PRIO_PROCESS, 0), here);
}
#endif

}  // namespace
}  // namespace kiln
