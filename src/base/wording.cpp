#include "base/wording.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>

namespace kiln {

std::string grouped(double number) {
  std::string digits = fmt::format("{:.0f}", number);
  for (std::ptrdiff_t i = std::ptrdiff_t(digits.size()) - 3; i > (digits[0] == '-' ? 1 : 0); i -= 3)
    digits.insert(std::size_t(i), 1, ',');
  return digits;
}

std::string counted(double number, std::string_view noun) {
  const std::string digits = grouped(number);
  return fmt::format("{} {}{}", digits, noun, digits == "1" ? "" : "s");
}

std::string bytes_text(double bytes) {
  const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  while (bytes >= 999.5 && unit < 5) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.3g} s", seconds);
  if (seconds < 120 * 60) return fmt::format("{:.3g} min", seconds / 60);
  if (seconds < 48 * 3600) return fmt::format("{:.3g} h", seconds / 3600);
  return fmt::format("{:.3g} days", seconds / 86400);
}

std::string time_text(double seconds, double span) {
  const auto [unit, name] = span < 120         ? std::pair{1.0, "s"}
                            : span < 120 * 60  ? std::pair{60.0, "min"}
                            : span < 48 * 3600 ? std::pair{3600.0, "h"}
                                               : std::pair{86400.0, "days"};
  return fmt::format("{:.4g} {}", seconds / unit, name);
}

std::optional<double> seconds_in(std::string_view text) {
  static const std::map<std::string_view, double> units = {
      {"d", 86400}, {"h", 3600}, {"m", 60}, {"min", 60}, {"s", 1}};
  double seconds = 0;
  const bool bare = !text.empty() && text.find_first_not_of("0123456789.") == text.npos;
  do {
    double number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !std::isfinite(number) || number < 0) return std::nullopt;
    text.remove_prefix(std::size_t(end - text.data()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
    text.remove_prefix(unit.size());
    const auto known = units.find(bare ? "s" : unit);
    if (known == units.end()) return std::nullopt;
    seconds += number * known->second;
  } while (!text.empty());
  return seconds;
}

}  // namespace kiln
