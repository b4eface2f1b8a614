// One piece of work at a time, beside what the caller does.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <utility>
#ifdef __linux__
#include <sys/resource.h>
#endif

namespace kiln {

// Lets others go first from now on, before this thread and those that it starts.
inline void give_way() {
#ifdef __linux__
  constexpr int kNiceness = 19;
  setpriority(PRIO_PROCESS, 0, kNiceness);  // of the calling thread alone, on Linux
#endif
}

// What the work throws comes out of the next call. The destructor waits, and keeps it to itself.
class BackgroundWork {
 public:
  // Waits for the work before. `gives_way`: the work takes only the time of processors that others leave.
  void start(std::function<void()> work, bool gives_way = false) {
    wait();
    running_ = std::async(std::launch::async, [work = std::move(work), gives_way] {
      if (gives_way) give_way();
      work();
    });
  }

  void wait() {
    if (running_.valid()) running_.get();
  }

  // Throws what the work has thrown, if it has ended; does not wait for it.
  void check() {
    if (running_.valid() && running_.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
      running_.get();
  }

 private:
  std::future<void> running_;
};

}  // namespace kiln
