// How cells move: their centroids over time and what follows from them, in micrometres, seconds and minutes.
//
// Every k-th cell is followed, so that there are at most about `TrackLimits::tracks`. The numbers that go
// with a sample need only where a cell started and where it was last, and are over all of these. The averages
// over lags need all samples; where those exceed `TrackLimits::positions`, first every second track is left
// out of them, again and again down to `TrackLimits::fewest`, then every second sample.
#pragma once

#include <vector>

#include "measure/look.hpp"
#include "measure/statistics.hpp"
#include "model/model.hpp"

namespace kiln {

// Means over the followed cells that live. A step is what happened since the sample before; a cell that did
// not move in it has no direction, and is left out wherever one is asked for.
struct Motion {
  int64_t tracks = 0;
  double displacement_um = kUndefined;   // distance from the first sample
  double msd_um2 = kUndefined;           // its square
  double speed_um_per_min = kUndefined;  // length of the step over its duration
  double order_index = kUndefined;       // length of the mean of the steps' directions
  double direction_autocorrelation =
      kUndefined;                    // direction of the step . that of the first step the cell made
  double straightness = kUndefined;  // distance from the first sample / sum of all steps' lengths
};

// Averages over cells and all starting times a lag apart.
struct Lag {
  double seconds = 0;
  double msd_um2 = kUndefined;
  double direction_autocorrelation = kUndefined;  // unit steps of one sampling interval, the lag apart
  int64_t pairs = 0;                              // (cell, starting time) pairs behind the msd
};

struct TrackLimits {
  int64_t tracks = 20'000;
  int64_t positions = 10'000'000;  // 24 bytes each
  int64_t fewest = 1'000;
};

// All that Tracks remembers, in lattice units, for checkpoints. A track's number is (cell - 1) / stride.
struct TrackData {
  int64_t stride = 0;                 // 0 until the first sample
  int64_t last_mcs = -1;              // of the last sample
  Motion motion;                      // of the last sample
  std::vector<double> speed_by_type;  // likewise, µm/min; per type, undefined where none of it moved on
  // Per track. The first three are NaN for a cell that is not there, or has not moved yet.
  std::vector<Vec3d> first, last, first_heading;
  std::vector<double> path;  // sum of the steps' lengths

  int64_t samples = 0;                        // so far
  int64_t keep_every = 1;                     // sample in the history
  int64_t keep_track = 1;                     // every keep_track-th track is in the history
  std::vector<int64_t> mcs;                   // of the samples in the history
  std::vector<std::vector<Vec3d>> positions;  // [sample][track / keep_track]
};

class Tracks {
 public:
  // With `data` it goes on where another left off.
  Tracks(Units units, std::vector<bool> frozen, TrackLimits limits = {}, TrackData data = {});

  // Appends a sample. Cells that died no longer contribute. A state that is not later than the last sample
  // adds nothing.
  const Motion& add(const Look& look);

  // Multiples of the sampling interval (the most frequent one), all up to 64, then about 6% apart; samples
  // that are off this rhythm take part wherever another one lies exactly a lag apart.
  std::vector<Lag> lags() const;

  int64_t stride() const {
    return data_.stride;
  }  // every stride-th id is followed; 0 before the first sample
  const TrackData& data() const { return data_; }
  double speed_of_type(TypeId type) const {  // in the last sample
    return type < data_.speed_by_type.size() ? data_.speed_by_type[type] : kUndefined;
  }

 private:
  struct Sums;

  // `type` is that of the cell, where it lives.
  void follow(std::size_t track, const Vec3d& now, TypeId type, Sums& sums);
  void take_motion(const Sums& sums, int64_t elapsed_mcs);
  void remember(int64_t mcs);
  int64_t interval() const;
  const std::vector<Vec3d>* sample_at(int64_t mcs) const;
  void add_msd(int64_t lag_mcs, Lag& lag) const;
  void add_autocorrelation(int64_t lag_mcs, int64_t step_mcs, Lag& lag) const;

  Units units_;
  std::vector<bool> frozen_;
  TrackLimits limits_;
  TrackData data_;
};

}  // namespace kiln
