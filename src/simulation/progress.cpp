#include "simulation/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/tell.hpp"
#include "base/wording.hpp"

namespace kiln {

Progress::Progress(int64_t first_mcs, int64_t last_mcs, double sites, bool quiet)
    : first_(first_mcs),
      last_(last_mcs),
      sites_(sites),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_shown_(start_) {}

Progress::~Progress() { finish(); }

double Progress::seconds_left(int64_t mcs) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  if (mcs <= first_ || seconds <= 0) return -1;
  return seconds / double(mcs - first_) * double(last_ - mcs);
}

void Progress::update(int64_t mcs, const std::string& phase, double computing_seconds) {
  if (quiet_ || last_ <= first_) return;
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share = double(mcs - first_) / double(last_ - first_);
  const double rate_seconds = computing_seconds > 0 ? computing_seconds : seconds;
  const double rate = rate_seconds > 0 ? double(mcs - first_) * sites_ / rate_seconds : 0;
  const std::string left = mcs < last_ ? duration_text(seconds_left(mcs)) + " left" : "done";
  if (terminal_) {
    if (now - last_shown_ < std::chrono::milliseconds(100) && mcs < last_) return;
    last_shown_ = now;
    constexpr int kWidth = 30;
    const int filled = int(share * kWidth);
    const std::string bar =
        std::string(std::size_t(filled), '#') + std::string(std::size_t(kWidth - filled), '.');
    tell(stderr, "\r\033[K[{}] {:3.0f}%  {}  MCS {}/{}  {:.2g} site updates/s  {}", bar, 100 * share, phase,
         grouped(double(mcs)), grouped(double(last_)), rate, left);
    std::fflush(stderr);
    line_open_ = true;
    return;
  }
  if (share < next_line_share_ && now - last_shown_ < std::chrono::seconds(30)) return;
  last_shown_ = now;
  next_line_share_ = std::max(next_line_share_ + 0.1, share + 0.05);
  tell(stderr, "{:3.0f}%  {}  MCS {}/{}  {:.2g} site updates/s  {}\n", 100 * share, phase,
       grouped(double(mcs)), grouped(double(last_)), rate, left);
}

void Progress::finish() {
  if (line_open_) tell(stderr, "\n");
  line_open_ = false;
}

}  // namespace kiln
