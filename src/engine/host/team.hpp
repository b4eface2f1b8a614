// A team of threads that run the same work in step, with a barrier.
#pragma once

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "engine/host/barrier.hpp"

namespace kiln {

// `run(work)` calls work(0), work(1), ... at once, one per member, and returns when all are done; the calling
// thread is member 0. Inside, all members call `wait` equally often to stay in step. Work must not throw.
class Team {
 public:
  explicit Team(int members) : members_(members), barrier_(members, members <= all_threads()) {
    try {
      for (int member = 1; member < members; ++member)
        others_.emplace_back([this, member] { serve(member); });
    } catch (...) {  // a thread could not be started: the running ones must not wait for it
      open(Gate::nothing_to_do);
      throw;
    }
    open(Gate::complete);
  }
  ~Team() {
    work_ = nullptr;
    wait();
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int members() const { return members_; }

  void run(const std::function<void(int)>& work) {
    work_ = &work;
    wait();
    work(0);
    wait();
  }

  void wait() {
    if (members_ > 1) barrier_.arrive_and_wait();
  }

 private:
  enum class Gate { closed, complete, nothing_to_do };

  void open(Gate how) {
    gate_ = how;
    gate_.notify_all();
  }

  void serve(int member) {
    gate_.wait(Gate::closed);
    if (gate_ == Gate::nothing_to_do) return;
    for (;;) {
      wait();
      if (work_ == nullptr) return;
      (*work_)(member);
      wait();
    }
  }

  int members_;
  const std::function<void(int)>* work_ = nullptr;
  std::atomic<Gate> gate_ = Gate::closed;
  Barrier barrier_;
  std::vector<std::jthread> others_;  // last: joined before the barrier goes
};

}  // namespace kiln
