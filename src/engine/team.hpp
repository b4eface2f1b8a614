// Threads that do one piece of work together, step by step.
#pragma once

#include <atomic>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace kiln {

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
  std::barrier<> step_, start_, end_;
  std::vector<std::jthread> others_;  // last: joined before the barriers go
};

}  // namespace kiln
