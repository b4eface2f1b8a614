#include "simulation/run/runner.hpp"

namespace kiln {

Ending Runner::run(const InterruptGuard& interrupt, WallClock& clock, Progress& progress) {
  const Model& model = simulation_.model();
  const int64_t end = model.total_mcs(), first = simulation_.mcs();
  write(first == writer_.start() ? Moment::start : first == end ? Moment::end : Moment::under_way, clock);
  while (simulation_.mcs() < end) {
    const int64_t due = writer_.next_due(simulation_.mcs());
    Ending ending = Ending::finished;
    bool save = false;
    while (simulation_.mcs() < due && ending == Ending::finished && !save) {
      const std::string& phase = model.phase_at(simulation_.mcs()).name;
      simulation_.advance_a_while(due - simulation_.mcs());
      progress.update(simulation_.mcs(), phase, simulation_.seconds());
      save = clock.wants_checkpoint();
      if (interrupt.requested())
        ending = Ending::signal;
      else if (clock.is_up(simulation_.last_while_seconds()))
        ending = Ending::time_limit;
    }
    if (ending != Ending::finished && simulation_.mcs() < end) {
      write(Moment::interrupted, clock);
      return ending;
    }
    write(simulation_.mcs() == end ? Moment::end : save ? Moment::saved : Moment::under_way, clock);
  }
  return Ending::finished;
}

void Runner::write(Moment moment, WallClock& clock) {
  const auto start = WallClock::Clock::now();
  const int64_t before = writer_.checkpoint_asked();
  Engine& engine = simulation_.engine();
  writer_.write(Look(engine), simulation_.counts(), engine.schedule(), moment);
  clock.wrote(seconds_since(start), writer_.checkpoint_asked() != before, writer_.checkpoint_seconds());
}

}  // namespace kiln
