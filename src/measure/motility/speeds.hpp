// How fast cells are: the distance between a cell's centroids at the two ends of an interval over the
// interval's length, in micrometres per minute, for every tracked cell and every interval of a phase.
// Cells go by the places that they have in the tables that are given.
//
// Intervals follow each other from the start of a phase on; what is left at its end is no interval. A cell
// takes part where it is there at both ends. All sums are of integers, so they do not depend on order.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "measure/places.hpp"

namespace kiln {

inline constexpr int kSpeedBins = 100;  // 1 µm/min wide each; one more holds all that is faster
using SpeedCounts = std::array<int64_t, kSpeedBins + 1>;

using WideSum = __int128;

// What is known of the speeds of one phase.
struct SpeedSums {
  int phase = 0;
  int64_t interval_mcs = 0;
  int64_t intervals = 0;  // (cell, interval) pairs: the number of speeds
  int64_t arrested = 0;   // of these, below the limit
  SpeedCounts counts{};
  // Of the first three powers of the speeds, in 1/1024 µm/min, rounded, cut at 2^30 of them.
  std::array<WideSum, 3> powers{};
  // The mean over cells of each cell's share of arrested intervals; of a phase that has ended.
  double arrest_by_cell = kUndefined;

  void add(double speed_um_per_min, bool is_arrested);
  void add(const SpeedSums& other);  // of the same phase and interval
  bool operator==(const SpeedSums&) const = default;
};

// The standard deviation is the sample's (n - 1); the skewness is m3 / m2^1.5 with moments over n.
struct SpeedMoments {
  double mean = kUndefined, sd = kUndefined, skewness = kUndefined;
};
SpeedMoments moments_of(const SpeedSums& sums);

// The Wilson score interval of a share, at 95%. Neighbouring intervals of one cell are not independent, so
// the true interval is wider.
struct Share {
  double value = kUndefined, low = kUndefined, high = kUndefined;
};
Share wilson_share(int64_t part, int64_t whole);

struct SpeedSettings {
  double voxel_um = 1;
  double seconds_per_mcs = 1;
  int64_t interval_mcs = 0;  // 0: nothing is followed
  double arrest_below_um_per_min = 2;
};

// All that Speeds remembers, for checkpoints. Tables have an entry per cell.
struct SpeedData {
  int phase = -1;  // being followed; -1: none
  int64_t start_mcs = 0, last_mcs = 0;
  std::vector<Vec3d> last;                   // at last_mcs
  std::vector<int64_t> intervals, arrested;  // in this phase
  std::vector<SpeedSums> phases;             // the last one is under way
};

class Speeds {
 public:
  explicit Speeds(SpeedSettings settings, SpeedData data = {});

  int64_t interval_mcs() const { return settings_.interval_mcs; }
  // Whether add() has to see this state. `phase` is the one that the next MCS belongs to, -1 where it is not
  // measured.
  bool is_due(int64_t mcs, int phase) const;
  // Whether an interval ends here.
  bool ends_interval(int64_t mcs) const;
  // The MCS after `mcs` at which the next interval ends, -1 where none is under way.
  int64_t next_end(int64_t mcs) const;

  // `places` as from tracked_places(); what they were before is left there where it is due, for its memory.
  void add(int64_t mcs, std::vector<Vec3d>&& places, int phase, int threads = 1);

  // One per phase so far.
  std::vector<SpeedSums> sums() const;
  const SpeedData& data() const { return data_; }

 private:
  void count_steps(std::span<const Vec3d> places, int threads);
  double mean_arrest_of_cells() const;

  SpeedSettings settings_;
  SpeedData data_;
};

}  // namespace kiln
