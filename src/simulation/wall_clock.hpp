// What the clock on the wall asks of a run: a checkpoint now and then, and to end in time. Neither touches
// the results.
#pragma once

#include <chrono>

#include "base/seconds.hpp"

namespace kiln {

struct WallTimes {
  double limit_s = 0;                   // from the start of the program; 0: none
  double checkpoint_every_s = 30 * 60;  // 0: never
};

class WallClock {
 public:
  using Clock = std::chrono::steady_clock;

  // `first_guess_s`: how long a checkpoint may take, until one was written.
  WallClock(const WallTimes& times, Clock::time_point start, double first_guess_s);

  bool wants_checkpoint() const;
  // Whether after `next_s` more seconds of computing there would be too little time left to end cleanly.
  bool is_up(double next_s) const;

  // To be told how long the run stood still for writing, at which a checkpoint was begun, or none; and how
  // long the slowest checkpoint took so far, 0 before the first.
  void wrote(double seconds, bool checkpoint, double checkpoint_seconds);

 private:
  WallTimes times_;
  Clock::time_point start_, last_checkpoint_;
  double guess_s_, longest_s_ = 0;
};

}  // namespace kiln
