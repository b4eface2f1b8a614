// Speeds from a table: what a run's speeds are compared with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace kiln {

// `count` speeds from `low` up to, but not including, `high` (infinite: all beyond), in µm/min. A single
// speed is a bin without width.
struct SpeedBin {
  double low = 0, high = 0;
  int64_t count = 0;
  bool operator==(const SpeedBin&) const = default;
};

// A CSV file with a header: the columns low,high,count, or the one column speed. Bins come in rising order
// and do not overlap; the last may have an empty `high`. UserError, naming file and line, where it is
// anything else.
std::vector<SpeedBin> read_speed_table(const std::filesystem::path& path);

}  // namespace kiln
