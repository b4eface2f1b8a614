// A run on its way, with everything written when it is due.
#pragma once

#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/wall_clock.hpp"
#include "output/run_writer.hpp"
#include "simulation/simulation.hpp"

namespace kiln {

enum class Ending { finished, signal, time_limit };

class Runner {
 public:
  Runner(Simulation& simulation, RunWriter& writer) : simulation_(simulation), writer_(writer) {}

  Ending run(const InterruptGuard& interrupt, WallClock& clock, Progress& progress);

 private:
  void write(Moment moment, WallClock& clock);

  Simulation& simulation_;
  RunWriter& writer_;
};

}  // namespace kiln
