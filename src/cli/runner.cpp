#include "cli/runner.hpp"

#include <algorithm>

namespace kiln {

Runner::Runner(const Model& model, Engine& engine, RunWriter& writer, AttemptCounts before)
    : model_(model), engine_(engine), writer_(writer), before_(before) {}

AttemptCounts Runner::counts() const {
  const AttemptCounts now = engine_.counts();
  return {before_.attempts + now.attempts, before_.live + now.live, before_.accepted + now.accepted};
}

Ending Runner::run(const InterruptGuard& interrupt, WallClock& clock, Progress& progress) {
  const int64_t end = model_.total_mcs();
  int64_t mcs = engine_.state_of_cells().mcs;
  int phase = -1;
  write(mcs == writer_.start() ? Moment::start : mcs == end ? Moment::end : Moment::under_way, clock);
  while (mcs < end) {
    if (phase_at(model_, mcs) != phase) {
      phase = phase_at(model_, mcs);
      engine_.set_physics(model_.phases[std::size_t(phase)].physics.view());
    }
    const int64_t due = writer_.next_due(mcs);
    Ending ending = Ending::finished;
    bool save = false;
    while (mcs < due && ending == Ending::finished && !save) {
      mcs += advance(std::min(due - mcs, chunk_));
      progress.update(mcs, model_.phases[std::size_t(phase)].name);
      save = clock.wants_checkpoint();
      if (interrupt.requested())
        ending = Ending::signal;
      else if (clock.is_up(last_chunk_s_))
        ending = Ending::time_limit;
    }
    if (ending != Ending::finished && mcs < end) {
      write(Moment::interrupted, clock);
      return ending;
    }
    write(mcs == end ? Moment::end : save ? Moment::saved : Moment::under_way, clock);
  }
  return Ending::finished;
}

void Runner::write(Moment moment, WallClock& clock) {
  const auto start = WallClock::Clock::now();
  const int64_t before = writer_.checkpoint_asked();
  writer_.write(Look(engine_), counts(), engine_.schedule(), moment);
  clock.wrote(seconds_since(start), writer_.checkpoint_asked() != before, writer_.checkpoint_seconds());
}

// Several MCS at a time where they are short, so that the bar and Ctrl-C stay alive.
int64_t Runner::advance(int64_t mcs) {
  const auto start = WallClock::Clock::now();
  engine_.advance(mcs);
  last_chunk_s_ = seconds_since(start);
  seconds_ += last_chunk_s_;
  const double per_mcs = last_chunk_s_ / double(mcs);
  chunk_ = std::clamp<int64_t>(int64_t(0.1 / std::max(per_mcs, 1e-9)), 1, 10'000);
  return mcs;
}

}  // namespace kiln
