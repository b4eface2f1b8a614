#include "simulation/wall_clock.hpp"

#include <algorithm>

namespace kiln {
namespace {

// Ending writes a checkpoint, and also pictures, tables and the report; and a disk has its slow moments.
constexpr double kMargin_s = 1;
constexpr double kLongestWrites = 3;

}  // namespace

WallClock::WallClock(const WallTimes& times, Clock::time_point start, double first_guess_s)
    : times_(times), start_(start), last_checkpoint_(start), guess_s_(first_guess_s) {}

bool WallClock::wants_checkpoint() const {
  return times_.checkpoint_every_s > 0 && seconds_since(last_checkpoint_) >= times_.checkpoint_every_s;
}

bool WallClock::is_up(double next_s) const {
  const double ending = kMargin_s + std::max(guess_s_, kLongestWrites * longest_s_);
  return times_.limit_s > 0 && seconds_since(start_) + next_s + ending >= times_.limit_s;
}

void WallClock::wrote(double seconds, bool checkpoint, double checkpoint_seconds) {
  longest_s_ = std::max({longest_s_, seconds, checkpoint_seconds});
  if (checkpoint_seconds > 0) guess_s_ = 0;
  if (checkpoint) last_checkpoint_ = Clock::now();
}

}  // namespace kiln
