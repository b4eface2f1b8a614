// A run on its way: phase by phase, with everything written when it is due.
#pragma once

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/wall_clock.hpp"
#include "engine/engine.hpp"
#include "output/run_writer.hpp"

namespace kiln {

enum class Ending { finished, signal, time_limit };

class Runner {
 public:
  // `before`: what was counted before the engine was made.
  Runner(const Model& model, Engine& engine, RunWriter& writer, AttemptCounts before);

  Ending run(const InterruptGuard& interrupt, WallClock& clock, Progress& progress);

  AttemptCounts counts() const;
  double seconds() const { return seconds_; }  // of computing

 private:
  int64_t advance(int64_t mcs);
  void write(Moment moment, WallClock& clock);

  const Model& model_;
  Engine& engine_;
  RunWriter& writer_;
  AttemptCounts before_;
  int64_t chunk_ = 1;
  double seconds_ = 0, last_chunk_s_ = 0;
};

}  // namespace kiln
