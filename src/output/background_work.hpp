// One piece of work at a time, beside what the caller does.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <utility>

namespace kiln {

// What the work throws comes out of the next call. The destructor waits, and keeps it to itself.
class BackgroundWork {
 public:
  // Waits for the work before.
  void start(std::function<void()> work) {
    wait();
    running_ = std::async(std::launch::async, std::move(work));
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
