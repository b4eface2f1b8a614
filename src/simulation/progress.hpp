// How far a run has come: a bar with rate and time left on a terminal, now and then a plain line elsewhere.
// All of it goes to standard error.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace kiln {

class Progress {
 public:
  // `quiet`: says nothing at all.
  Progress(int64_t first_mcs, int64_t last_mcs, double sites, bool quiet);
  ~Progress();

  // The rate is of the seconds of computing, where they are given: what files cost is not in it.
  void update(int64_t mcs, const std::string& phase, double computing_seconds = 0);
  // Ends the bar's line.
  void finish();

  // Seconds left, from the pace so far; negative while unknown.
  double seconds_left(int64_t mcs) const;

 private:
  using Clock = std::chrono::steady_clock;

  int64_t first_, last_;
  double sites_;
  bool quiet_, terminal_;
  bool line_open_ = false;
  Clock::time_point start_, last_shown_;
  double next_line_share_ = 0.1;
};

}  // namespace kiln
