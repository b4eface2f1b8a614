// Signals ask a run to stop after the MCS it is in: Ctrl-C, a terminal that closes, and what batch systems
// send before they end a job. A second Ctrl-C ends it at once. A reader that goes away and a limit on the
// size of files do not end it without a word: writing fails instead.
#pragma once

#include <string>

namespace kiln {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
  int signal() const;        // the signal that came, 0 if none
  std::string name() const;  // of it, as "SIGTERM"
};

}  // namespace kiln
