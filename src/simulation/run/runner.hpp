// The run loop: a simulation on its way, with everything written when it is due.
#pragma once

#include "output/run/writer.hpp"
#include "simulation/interrupt.hpp"
#include "simulation/run/controller.hpp"
#include "simulation/simulation.hpp"
#include "simulation/wall_clock.hpp"

namespace kiln {

enum class Ending { finished, signal, time_limit, controller };

class Runner {
 public:
  // Both may be null. `steering` is what is known of the controller, and is kept up to date.
  Runner(Simulation& simulation, RunWriter& writer, Controller* controller, Steering& steering)
      : simulation_(simulation), writer_(writer), controller_(controller), steering_(steering) {}

  // `interrupt` null: no signal ends it.
  Ending run(const InterruptGuard* interrupt, WallClock& clock);

 private:
  // What ends the run while it goes on to `due`, or nothing (finished) when it has come there, or wants to be
  // saved, or the controller wants to be asked.
  Ending advance_to(int64_t due, const InterruptGuard* interrupt, const WallClock& clock, bool& save);
  // A signal or the time limit, or nothing (finished).
  Ending what_ends(const InterruptGuard* interrupt, const WallClock& clock) const;
  bool is_asked(int64_t mcs) const;
  Controller::Answer ask();
  void write(Moment moment, WallClock& clock);

  Simulation& simulation_;
  RunWriter& writer_;
  Controller* controller_;
  Steering& steering_;
};

}  // namespace kiln
