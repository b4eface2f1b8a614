#include "simulation/run/runner.hpp"

#include <algorithm>

namespace kiln {

Ending Runner::run(const InterruptGuard* interrupt, WallClock& clock) {
  const int64_t begun = simulation_.mcs(), end = simulation_.model().total_mcs();
  bool save = false;
  for (bool first = true;; first = false) {
    const int64_t mcs = simulation_.mcs();
    const bool asks = is_asked(mcs);
    const Controller::Answer answer = asks ? ask() : Controller::Answer::go_on;
    const bool failed = answer == Controller::Answer::failed;
    if (failed || (answer == Controller::Answer::stop && mcs < end)) {
      write(Moment::interrupted, clock);
      return Ending::controller;
    }
    // The controller may have taken its time, or held the run. Every part plays one MCS at least.
    const Ending held = asks && mcs > begun ? what_ends(interrupt, clock) : Ending::finished;
    if (held != Ending::finished && mcs < end) {
      write(Moment::interrupted, clock);
      return held;
    }
    const bool begins = first && mcs == writer_.start();
    write(begins       ? Moment::start
          : mcs == end ? Moment::end
          : save       ? Moment::saved
                       : Moment::under_way,
          clock);
    if (simulation_.mcs() >= end) return Ending::finished;
    int64_t due = writer_.next_due(mcs);
    if (controller_ != nullptr) due = std::min(due, controller_->next_due(mcs));
    const Ending ending = advance_to(due, interrupt, clock, save);
    if (ending != Ending::finished && simulation_.mcs() < end) {
      write(Moment::interrupted, clock);
      return ending;
    }
  }
}

Ending Runner::advance_to(int64_t due, const InterruptGuard* interrupt, const WallClock& clock, bool& save) {
  save = false;
  while (simulation_.mcs() < due && !save) {
    simulation_.advance_a_while(due - simulation_.mcs());
    writer_.pulse(simulation_.mcs());
    save = clock.wants_checkpoint();
    if (interrupt != nullptr) interrupt->also(simulation_.engine().signal());
    if (const Ending ending = what_ends(interrupt, clock); ending != Ending::finished) return ending;
    if (controller_ != nullptr && controller_->wants_now()) return Ending::finished;
  }
  return Ending::finished;
}

Ending Runner::what_ends(const InterruptGuard* interrupt, const WallClock& clock) const {
  if (interrupt != nullptr && interrupt->requested()) return Ending::signal;
  return clock.is_up(simulation_.last_while_seconds()) ? Ending::time_limit : Ending::finished;
}

// Not at the start, and not again where a checkpoint has what it left.
bool Runner::is_asked(int64_t mcs) const {
  return controller_ != nullptr && mcs > writer_.start() && mcs != steering_.mcs &&
         (controller_->next_due(mcs - 1) == mcs || controller_->wants_now());
}

Controller::Answer Runner::ask() {
  const bool changed_before = std::exchange(steering_.changed, false);
  const Controller::Answer answer = controller_->act();
  const bool changes = steering_.changed;
  steering_.changed |= changed_before;
  if (answer != Controller::Answer::failed || changes) steering_.mcs = simulation_.mcs();
  writer_.set_steering(steering_);
  return answer;
}

void Runner::write(Moment moment, WallClock& clock) {
  const auto start = WallClock::Clock::now();
  const int64_t before = writer_.checkpoint_asked();
  Engine& engine = simulation_.engine();
  writer_.write(Look(engine), simulation_.counts(), engine.schedule(), moment);
  clock.wrote(seconds_since(start), writer_.checkpoint_asked() != before, writer_.checkpoint_seconds());
}

}  // namespace kiln
