// Who may use a simulation that several threads of Python know.
//
// One thread at a time runs or changes it; another that tries is refused with a sentence. Reading is possible
// beside a run: it takes place between two stretches of it.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "base/error.hpp"

namespace kiln::python {

class Access {
 public:
  // The thread that runs or changes the simulation for now; the same one may nest.
  class Busy {
   public:
    explicit Busy(Access& access) : access_(access) {
      std::thread::id none;
      const std::thread::id me = std::this_thread::get_id();
      mine_ = access.busy_.compare_exchange_strong(none, me);
      if (!mine_ && none != me)
        throw UserError("the simulation is running in another thread; wait until it is done.");
    }
    ~Busy() {
      if (mine_) access_.busy_ = std::thread::id();
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

    bool nested() const { return !mine_; }

   private:
    Access& access_;
    bool mine_;
  };

  // The state stands still. Threads take turns, so that a reader gets in between two stretches of a run.
  class Still {
   public:
    explicit Still(Access& access) : access_(access) {
      access_.turn_.lock();
      access_.state_.lock();
      access_.turn_.unlock();
    }
    ~Still() { access_.state_.unlock(); }
    Still(const Still&) = delete;
    Still& operator=(const Still&) = delete;

   private:
    Access& access_;
  };

  bool is_busy() const { return busy_.load() != std::thread::id(); }
  bool is_busy_elsewhere() const {
    const std::thread::id busy = busy_;
    return busy != std::thread::id() && busy != std::this_thread::get_id();
  }

 private:
  std::mutex turn_, state_;
  std::atomic<std::thread::id> busy_;
};

}  // namespace kiln::python
