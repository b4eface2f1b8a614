#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace kiln {

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  return begin == text.npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int64_t> whole_in(std::string_view text) {
  int64_t whole = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc() && end == text.data() + text.size()) return whole;
  const std::optional<double> value = number_in(text);
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!value || *value != std::floor(*value) || std::abs(*value) > kExact) return std::nullopt;
  return int64_t(*value);
}

std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  // Edit distance, a swap of neighbouring letters counting as one.
  const auto distance = [name](std::string_view other) {
    const std::size_t rows = name.size() + 1, columns = other.size() + 1;
    std::vector<int> d(rows * columns);
    const auto at = [&](std::size_t i, std::size_t j) -> int& { return d[i * columns + j]; };
    for (std::size_t i = 0; i < rows; ++i) at(i, 0) = int(i);
    for (std::size_t j = 0; j < columns; ++j) at(0, j) = int(j);
    for (std::size_t i = 1; i < rows; ++i)
      for (std::size_t j = 1; j < columns; ++j) {
        const int change = name[i - 1] == other[j - 1] ? 0 : 1;
        at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
        if (i > 1 && j > 1 && name[i - 1] == other[j - 2] && name[i - 2] == other[j - 1])
          at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
      }
    return d.back();
  };
  std::string_view best;
  int least = std::max(1, int(name.size()) / 3) + 1;  // farther off is another word
  for (const std::string_view candidate : known)
    if (const int d = distance(candidate); d < least) {
      least = d;
      best = candidate;
    }
  return best;
}

}  // namespace kiln
