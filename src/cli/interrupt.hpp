// Ctrl-C, and SIGTERM from a batch system, ask a run to stop after the MCS it is in. A second Ctrl-C ends it
// at once.
#pragma once

namespace kiln {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
  int signal() const;  // the signal that came, 0 if none
};

}  // namespace kiln
