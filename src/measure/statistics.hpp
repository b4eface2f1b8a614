// Sizes of cells, and how many copies were accepted.
#pragma once

#include <limits>
#include <vector>

#include "measure/look.hpp"

namespace kiln {

// What a measure gives where it has no meaning.
inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// The standard deviation is the sample's, with n - 1; undefined for fewer than two values, the mean for none.
struct Summary {
  int64_t count = 0;
  double mean = kUndefined, sd = kUndefined;
};

struct SizeSummary {
  Summary volume;     // sites
  Summary perimeter;  // (site, neighbour) pairs
};

struct SizeStatistics {
  SizeSummary all;
  int64_t sites = 0;                 // of all these cells together
  std::vector<SizeSummary> by_type;  // [types]; count 0 for the medium and frozen types
};

// Over the tracked cells with volume > 0.
SizeStatistics size_statistics(const Look& look, const std::vector<bool>& frozen, int threads = 1);

// Undefined where nothing was attempted, or nothing live.
struct Acceptance {
  double of_attempts = kUndefined;  // accepted / attempts
  double of_live = kUndefined;      // accepted / live
  double live_share = kUndefined;   // live / attempts
};

Acceptance acceptance_between(const AttemptCounts& before, const AttemptCounts& now);

}  // namespace kiln
