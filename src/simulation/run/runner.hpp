// A run on its way, with everything written when it is due.
#pragma once

#include "output/run/writer.hpp"
#include "simulation/interrupt.hpp"
#include "simulation/progress.hpp"
#include "simulation/simulation.hpp"
#include "simulation/wall_clock.hpp"

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
