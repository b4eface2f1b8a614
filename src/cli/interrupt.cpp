#include "cli/interrupt.hpp"

#include <csignal>

namespace kiln {
namespace {

volatile std::sig_atomic_t caught = 0;

void on_signal(int number) {
  if (caught != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  caught = number;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  caught = 0;
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() const { return caught != 0; }
int InterruptGuard::signal() const { return caught; }

}  // namespace kiln
