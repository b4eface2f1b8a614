// Threads that do one piece of work together, step by step.
#pragma once

#include <atomic>
#include <barrier>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace kiln {

// Where threads meet many thousand times a second. std::barrier puts threads to sleep, which costs more than
// the wait itself; this one spins, and gives way where there are more threads than cores.
class SpinBarrier {
 public:
  explicit SpinBarrier(int members) : members_(members) {}

  void arrive_and_wait() {
    const uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_release);
      return;
    }
    for (int spins = 0; phase_.load(std::memory_order_acquire) == phase; ++spins)
      if (spins > kSpins) std::this_thread::yield();
  }

 private:
  static constexpr int kSpins = 2000;
  const int members_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> phase_{0};
};

// `run(work)` calls work(0), work(1), ... at once, one per member, and returns when all are done; the calling
// thread is member 0. Inside, all members call `wait` equally often to stay in step. Work must not throw.
class Team {
 public:
  explicit Team(int members) : members_(members), step_(members), start_(members), end_(members) {
    for (int member = 1; member < members; ++member) others_.emplace_back([this, member] { serve(member); });
  }
  ~Team() {
    if (others_.empty()) return;
    work_ = nullptr;
    start_.arrive_and_wait();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return members_; }

  void run(const std::function<void(int)>& work) {
    work_ = &work;
    if (members_ > 1) start_.arrive_and_wait();
    work(0);
    if (members_ > 1) end_.arrive_and_wait();
  }

  void wait() {
    if (members_ > 1) step_.arrive_and_wait();
  }

 private:
  void serve(int member) {
    for (;;) {
      start_.arrive_and_wait();
      if (work_ == nullptr) return;
      (*work_)(member);
      end_.arrive_and_wait();
    }
  }

  int members_;
  const std::function<void(int)>* work_ = nullptr;
  SpinBarrier step_;
  std::barrier<> start_, end_;
  std::vector<std::jthread> others_;  // last: joined before the barriers go
};

}  // namespace kiln
