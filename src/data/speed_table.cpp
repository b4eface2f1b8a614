#include "data/speed_table.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace kiln {
namespace {

constexpr double kMostCount = 1e15;  // sums of counts stay exact

struct Line {
  std::string file;
  int64_t number = 0;
  std::string text;

  [[noreturn]] void fail(const std::string& sentence) const {
    throw UserError(fmt::format("{}:{}: {}", file, number, sentence));
  }
};

std::string_view trimmed(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '"'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t comma = line.find(',');
    fields.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return fields;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> number_in(std::string_view field) {
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

double speed_in(std::string_view field, const char* column, const Line& line) {
  const std::optional<double> value = number_in(field);
  if (!value || *value < 0)
    line.fail(fmt::format("{} is \"{}\", but must be a number of at least 0 (µm/min).", column, field));
  return *value;
}

SpeedBin bin_in(const std::vector<std::string_view>& fields, const Line& line) {
  SpeedBin bin;
  bin.low = speed_in(fields[0], "low", line);
  const bool open = fields[1].empty() || fields[1] == "inf";
  bin.high = open ? std::numeric_limits<double>::infinity() : speed_in(fields[1], "high", line);
  if (bin.high <= bin.low)
    line.fail(fmt::format("high is {}, but must be above low, which is {}.", bin.high, bin.low));
  const std::optional<double> count = number_in(fields[2]);
  if (!count || *count < 0 || *count > kMostCount || *count != std::floor(*count))
    line.fail(fmt::format("count is \"{}\", but must be a whole number between 0 and {:g}.", fields[2],
                          kMostCount));
  bin.count = int64_t(*count);
  return bin;
}

// True for low,high,count, false for speed.
bool has_bins(const Line& header) {
  const std::vector<std::string_view> names = fields_of(header.text);
  if (names == std::vector<std::string_view>{"low", "high", "count"}) return true;
  if (names == std::vector<std::string_view>{"speed"}) return false;
  header.fail(fmt::format("the columns are \"{}\", but must be \"low,high,count\" or \"speed\".",
                          trimmed(header.text)));
}

void append(std::vector<SpeedBin>& bins, const Line& line, bool binned) {
  const std::vector<std::string_view> fields = fields_of(line.text);
  const std::size_t wanted = binned ? 3 : 1;
  if (fields.size() != wanted)
    line.fail(fmt::format("there are {} fields, but must be {}, as in the header.", fields.size(), wanted));
  if (!binned) {
    const double speed = speed_in(fields[0], "speed", line);
    bins.push_back({speed, speed, 1});
    return;
  }
  const SpeedBin bin = bin_in(fields, line);
  if (!bins.empty() && bin.low < bins.back().high)
    line.fail(fmt::format("low is {}, but must not lie below {}, where the bin before ends.", bin.low,
                          bins.back().high));
  bins.push_back(bin);
}

}  // namespace

std::vector<SpeedBin> read_speed_table(const std::filesystem::path& path) {
  std::ifstream in(path);
  Line line{path.string(), 1, {}};
  if (!in || std::filesystem::is_directory(path))
    throw UserError(
        fmt::format("cannot read {}: {}.", path.string(),
                    std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  if (!std::getline(in, line.text) || trimmed(line.text).empty())
    line.fail("there is no header, but it must be \"low,high,count\" or \"speed\".");
  if (line.text.starts_with("\xEF\xBB\xBF")) line.text.erase(0, 3);  // spreadsheets put a mark first
  const bool binned = has_bins(line);
  std::vector<SpeedBin> bins;
  int64_t speeds = 0;
  while (std::getline(in, line.text)) {
    ++line.number;
    if (trimmed(line.text).empty()) continue;
    append(bins, line, binned);
    speeds += bins.back().count;
  }
  if (speeds == 0) line.fail("the table ends here without a single speed, but must hold at least one.");
  return bins;
}

}  // namespace kiln
