#include "model/sweep_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/wording.hpp"
#include "core/random.hpp"

namespace kiln {
namespace {

constexpr double kMostRuns = 1e6;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw UserError(fmt::format("--vary {}: {}", text, why));
}

// At separators that stand in no brackets and no quotes.
std::vector<std::string> split_outside(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      depth += 1;
    } else if (c == ']' || c == '}') {
      depth -= 1;
    }
    if (c == separator && depth == 0 && quote == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = std::string(trimmed(part));
  return parts;
}

std::vector<std::string> keys_of(const Variation& variation) { return split_outside(variation.key, ','); }

bool is_key(const std::string& key) {
  const std::vector<std::string> parts = split_key(key);
  return std::none_of(parts.begin(), parts.end(), [](const auto& part) { return part.empty(); });
}

std::string number_text(double value) { return fmt::format("{:.12g}", value == 0 ? 0.0 : value); }

// The numbers of LO:HI:STEP; none where the item is no range.
std::vector<std::string> range_in(const std::string& item, const std::string& text) {
  const std::vector<std::string> parts = split_outside(item, ':');
  std::vector<double> numbers;
  for (const std::string& part : parts)
    if (const std::optional<double> number = number_in(part)) numbers.push_back(*number);
  if (parts.size() < 2 || numbers.size() != parts.size()) return {};
  if (parts.size() != 3)
    refuse(text, fmt::format("{} is no range; write LO:HI:STEP, such as 200:3000:200.", item));
  const double low = numbers[0], high = numbers[1], step = numbers[2], steps = (high - low) / step;
  if (step == 0 || steps < 0)
    refuse(text, fmt::format("{} leads nowhere: steps of {} do not go from {} to {}.", item, parts[2],
                             parts[0], parts[1]));
  if (steps >= kMostRuns) refuse(text, fmt::format("{} has more than a million values.", item));
  std::vector<std::string> values;
  const int64_t last = int64_t(steps + 1e-9);
  for (int64_t i = 0; i <= last; ++i) values.push_back(number_text(low + double(i) * step));
  return values;
}

}  // namespace

Variation parse_variation(const std::string& text) {
  const std::size_t equals = text.find('=');
  Variation result{std::string(trimmed(std::string_view(text).substr(0, equals))), {}};
  for (const std::string& key : keys_of(result)) {
    if (equals == text.npos || !is_key(key))
      refuse(text,
             "write it as KEY=VALUES, such as temperature=5,10,20 or types.cell.act.lambda=200:3000:200.");
    if (key == "seed") refuse(text, "every run has a seed of its own; ask for several with --replicas.");
  }
  for (const std::string& item : split_outside(std::string_view(text).substr(equals + 1), ',')) {
    if (item.empty()) refuse(text, "a value is missing; write values as a,b,c or as a range LO:HI:STEP.");
    std::vector<std::string> values = range_in(item, text);
    if (values.empty()) values = {item};
    result.values.insert(result.values.end(), values.begin(), values.end());
  }
  std::set<std::string> seen;
  for (const std::string& value : result.values)
    if (!seen.insert(value).second) refuse(text, fmt::format("{} stands there twice.", value));
  return result;
}

std::vector<Combination> combinations(const std::vector<Variation>& variations) {
  std::vector<Combination> result(1);
  for (const Variation& variation : variations) {
    std::vector<Combination> longer;
    for (const Combination& start : result)
      for (const std::string& value : variation.values) {
        longer.push_back(start);
        longer.back().values.push_back(value);
      }
    result = std::move(longer);
  }
  return result;
}

std::vector<std::string> settings_of(const std::vector<Variation>& variations,
                                     const Combination& combination) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < variations.size(); ++i)
    for (const std::string& key : keys_of(variations[i]))
      result.push_back(key + "=" + combination.values[i]);
  return result;
}

std::vector<Override> overrides_of(const std::vector<Variation>& variations, const Combination& combination) {
  std::vector<Override> result;
  for (std::size_t i = 0; i < variations.size(); ++i) {
    const std::string& value = combination.values[i];
    for (const std::string& key : keys_of(variations[i]))
      result.push_back({split_key(key), parse_value(value, fmt::format("--vary {}={}", key, value))});
  }
  return result;
}

uint64_t replica_seed(uint64_t model_seed, std::vector<std::string> settings, int64_t replica) {
  std::sort(settings.begin(), settings.end());
  const uint64_t varied = fnv1a(fmt::format("{}", fmt::join(settings, "\n")));
  return draw(model_seed, Stream::sweep_seeds, varied, uint32_t(replica)).ab() >> 11;
}

void check_sweep(const std::vector<Variation>& variations, int64_t replicas) {
  if (replicas < 1) throw UserError(fmt::format("--replicas is {}, but must be at least 1.", replicas));
  double runs = double(replicas);
  std::set<std::string> keys;
  for (const Variation& variation : variations) {
    for (const std::string& key : keys_of(variation))
      if (!keys.insert(key).second)
        throw UserError(fmt::format("--vary names {} twice; give all its values at once.", key));
    runs *= double(variation.values.size());
  }
  if (runs > kMostRuns)
    throw UserError(fmt::format("the sweep would have {} runs, but takes at most a million.", grouped(runs)));
}

}  // namespace kiln
