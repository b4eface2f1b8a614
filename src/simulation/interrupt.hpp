// Signals ask a run to stop after the MCS it is in: Ctrl-C, a terminal that closes, and what batch systems
// send before they end a job. A second Ctrl-C ends it at once.
#pragma once

#include <string>
#include <vector>

namespace kiln {

class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  bool requested() const;
  int signal() const;           // the signal that came, 0 if none
  std::string name() const;     // of it, as "SIGTERM"
  void also(int signal) const;  // one that came to another process of the run; 0: none

 private:
  std::vector<void (*)(int)>
      before_;  // who is asked again when this is gone: a program around may listen, too
};

// From now on a reader that goes away, or a limit on the size of files, does not end the program: writing
// fails.
void prefer_errors_to_signals();

}  // namespace kiln
