#include "data/speed_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/csv.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace kiln {
namespace {

constexpr double kMostCount = 1e15;  // sums of counts stay exact

using Fields = std::vector<std::string_view>;

// Where a record is, for messages.
struct Place {
  std::string file;
  int64_t line = 1;

  [[noreturn]] void fail(const std::string& sentence) const {
    throw UserError(fmt::format("{}:{}: {}", file, line, sentence));
  }
};

Fields fields_of(const CsvReader& record) {
  Fields fields;
  for (const std::string& field : record.fields()) fields.push_back(trimmed(field));
  return fields;
}

bool is_blank(const Fields& fields) { return fields.size() == 1 && fields[0].empty(); }

double speed_in(std::string_view field, const char* column, const Place& place) {
  const std::optional<double> value = number_in(field);
  if (!value || *value < 0)
    place.fail(fmt::format("{} is \"{}\", but must be a number of at least 0 (µm/min).", column, field));
  return *value;
}

SpeedBin bin_in(const Fields& fields, const Place& place) {
  SpeedBin bin;
  bin.low = speed_in(fields[0], "low", place);
  const bool open = fields[1].empty() || fields[1] == "inf";
  bin.high = open ? std::numeric_limits<double>::infinity() : speed_in(fields[1], "high", place);
  if (bin.high <= bin.low)
    place.fail(fmt::format("high is {}, but must be above low, which is {}.", bin.high, bin.low));
  const std::optional<double> count = number_in(fields[2]);
  if (!count || *count < 0 || *count > kMostCount || *count != std::floor(*count))
    place.fail(fmt::format("count is \"{}\", but must be a whole number between 0 and {:g}.", fields[2],
                           kMostCount));
  bin.count = int64_t(*count);
  return bin;
}

// True for low,high,count, as speeds.csv has them or without their unit, false for speed.
bool has_bins(const Fields& names, const Place& place) {
  if (names == Fields{"low", "high", "count"}) return true;
  if (names == Fields{"low_um_per_min", "high_um_per_min", "count"}) return true;
  if (names == Fields{"speed"}) return false;
  place.fail(fmt::format("the columns are \"{}\", but must be \"low,high,count\" or \"speed\".",
                         fmt::join(names, ",")));
}

void append(std::vector<SpeedBin>& bins, const Fields& fields, const Place& place, bool binned) {
  const std::size_t wanted = binned ? 3 : 1;
  if (fields.size() != wanted)
    place.fail(fmt::format("there are {} fields, but must be {}, as in the header.", fields.size(), wanted));
  if (!binned) {
    const double speed = speed_in(fields[0], "speed", place);
    bins.push_back({speed, speed, 1});
    return;
  }
  const SpeedBin bin = bin_in(fields, place);
  if (!bins.empty() && bin.low < bins.back().high)
    place.fail(fmt::format("low is {}, but must not lie below {}, where the bin before ends.", bin.low,
                           bins.back().high));
  bins.push_back(bin);
}

}  // namespace

std::vector<SpeedBin> read_speed_table(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Place place{path.string()};
  if (!in || std::filesystem::is_directory(path))
    throw UserError(
        fmt::format("cannot read {}: {}.", path.string(),
                    std::filesystem::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  if (in.peek() == 0xEF) in.ignore(3);  // the mark that spreadsheets put first
  CsvReader record(in);
  if (!record.next() || is_blank(fields_of(record)))
    place.fail("there is no header, but it must be \"low,high,count\" or \"speed\".");
  const bool binned = has_bins(fields_of(record), place);
  std::vector<SpeedBin> bins;
  int64_t speeds = 0;
  while (record.next()) {
    place.line = record.line();
    const Fields fields = fields_of(record);
    if (is_blank(fields)) continue;
    append(bins, fields, place, binned);
    speeds += bins.back().count;
  }
  if (speeds == 0) place.fail("the table ends here without a single speed, but must hold at least one.");
  return bins;
}

}  // namespace kiln
