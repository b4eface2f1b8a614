// How long a run has taken, over all the parts that it was played in.
#pragma once

#include "base/seconds.hpp"
#include "output/run/observer.hpp"
#include "output/state/checkpoint.hpp"

namespace kiln {

// What a part took after its last checkpoint is not counted where the next part plays it again.
class Stopwatch : public Observer {
 public:
  Stopwatch(std::chrono::steady_clock::time_point started, const Checkpoint* resumed) : started_(started) {
    if (resumed == nullptr) return;
    const auto found = resumed->info.extra.find(kName);
    if (found != resumed->info.extra.end() && found->second.size() == 1) before_ = found->second[0];
  }

  double seconds() const { return before_ + seconds_since(started_); }

  int64_t next_due(int64_t) const override { return kNeverDue; }
  Work look(const Glance&) override { return {}; }
  Memory remember() override {
    return [now = seconds()](NamedArrays& to) { to[kName] = {now}; };
  }

 private:
  static constexpr const char* kName = "run.seconds";

  std::chrono::steady_clock::time_point started_;
  double before_ = 0;
};

}  // namespace kiln
