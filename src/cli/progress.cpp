#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

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

void Progress::update(int64_t mcs, const std::string& phase) {
  if (quiet_ || last_ <= first_) return;
  const auto now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double share = double(mcs - first_) / double(last_ - first_);
  const double rate = seconds > 0 ? double(mcs - first_) * sites_ / seconds : 0;
  const std::string left = mcs < last_ ? in_words(seconds_left(mcs)) + " left" : "done";
  if (terminal_) {
    if (now - last_shown_ < std::chrono::milliseconds(100) && mcs < last_) return;
    last_shown_ = now;
    constexpr int kWidth = 30;
    const int filled = int(share * kWidth);
    const std::string bar =
        std::string(std::size_t(filled), '#') + std::string(std::size_t(kWidth - filled), '.');
    fmt::print(stderr, "\r\033[K[{}] {:3.0f}%  {}  MCS {}/{}  {:.2g} site updates/s  {}", bar, 100 * share,
               phase, with_commas(mcs), with_commas(last_), rate, left);
    std::fflush(stderr);
    line_open_ = true;
    return;
  }
  if (share < next_line_share_ && now - last_shown_ < std::chrono::seconds(30)) return;
  last_shown_ = now;
  next_line_share_ = std::max(next_line_share_ + 0.1, share + 0.05);
  fmt::print(stderr, "{:3.0f}%  {}  MCS {}/{}  {:.2g} site updates/s  {}\n", 100 * share, phase,
             with_commas(mcs), with_commas(last_), rate, left);
}

void Progress::finish() {
  if (line_open_) fmt::print(stderr, "\n");
  line_open_ = false;
}

std::string in_words(double seconds) {
  if (seconds < 0) return "unknown time";
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.1f} min", seconds / 60);
  if (seconds < 172800) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.1f} days", seconds / 86400);
}

std::string bytes_in_words(double bytes) {
  for (const auto& [unit, size] : {std::pair{"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}})
    if (bytes >= size) return fmt::format("{:.3g} {}", bytes / size, unit);
  return fmt::format("{:.0f} bytes", bytes);
}

std::string with_commas(int64_t number) {
  std::string digits = std::to_string(number);
  for (int64_t at = int64_t(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(std::size_t(at), ",");
  return digits;
}

}  // namespace kiln
