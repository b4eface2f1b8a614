#include "simulation/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <utility>

namespace kiln {
namespace {

constexpr std::pair<int, const char*> kStops[] = {{SIGINT, "Ctrl-C"},   {SIGTERM, "SIGTERM"},
                                                  {SIGHUP, "SIGHUP"},   {SIGUSR1, "SIGUSR1"},
                                                  {SIGUSR2, "SIGUSR2"}, {SIGXCPU, "SIGXCPU"}};

// A signal comes to any thread of the program.
std::atomic<int> caught = 0;
static_assert(std::atomic<int>::is_always_lock_free);

// Batch systems send the same signal again when time is up, while a checkpoint may just be written: only a
// person's second Ctrl-C is meant to end it at once.
void on_signal(int number) {
  if (caught != 0 && number == SIGINT) {
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  int none = 0;
  caught.compare_exchange_strong(none, number);
}

}  // namespace

void prefer_errors_to_signals() {
  for (const int number : {SIGPIPE, SIGXFSZ}) std::signal(number, SIG_IGN);
}

InterruptGuard::InterruptGuard() {
  caught = 0;
  for (const auto& [number, name] : kStops) {
    before_.push_back(std::signal(number, on_signal));
    if (number == SIGHUP && before_.back() == SIG_IGN) std::signal(number, SIG_IGN);  // nohup
  }
}

InterruptGuard::~InterruptGuard() {
  for (std::size_t i = 0; i < before_.size(); ++i)
    std::signal(kStops[i].first, before_[i] == SIG_ERR ? SIG_DFL : before_[i]);
}

bool InterruptGuard::requested() const { return caught != 0; }
int InterruptGuard::signal() const { return caught; }
void InterruptGuard::also(int signal) const {
  int none = 0;
  caught.compare_exchange_strong(none, signal);
}

std::string InterruptGuard::name() const {
  for (const auto& [number, name] : kStops)
    if (number == caught) return name;
  return "";
}

}  // namespace kiln
