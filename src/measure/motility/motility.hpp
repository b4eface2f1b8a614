// What papers on motile cells report, phase by phase: speeds and arrest, the space explored, how two halves
// mix, how far cells go the same way. Each measure is a small unit of its own; this hands the states of a run
// to them.
#pragma once

#include <optional>
#include <vector>

#include "measure/motility/direction_correlation.hpp"
#include "measure/motility/explored.hpp"
#include "measure/motility/mixing.hpp"
#include "measure/motility/speeds.hpp"
#include "measure/named_arrays.hpp"
#include "model/model.hpp"

namespace kiln {

// In sites, and in units of [units]: µm^3 in 3-D, µm^2 in 2-D.
struct ExploredRow {
  int64_t sites = 0;
  double size = 0;          // of these sites together
  double per_cell = 0;      // the same over the number of cells there are now
  double visited_mean = 0;  // the mean over a sample of cells of what each has visited
};

// Rows of direction_correlation.csv: over one interval of speeds, at its end.
struct IntervalCorrelation {
  int64_t interval_mcs = 0;
  std::vector<CorrelationBin> bins;
};

struct MotilityData {
  int phase = -1;                 // being measured; -1: none
  std::vector<SpeedData> speeds;  // per interval
  ExploredData explored;
  std::vector<Half> halves;    // per cell id, as the phase began; empty where not asked for
  double correlation_bin = 0;  // sites; 0 until it is chosen in this phase
  int64_t stride = 0;          // speeds are those of every stride-th id; 0 until there are any
};

// Cells whose speeds are known; where there are more, they are those of every k-th. Directions are compared
// between all cells.
inline constexpr int64_t kMostWithSpeeds = int64_t(1) << 24;

class Motility {
 public:
  // With `data` it goes on where a run was interrupted.
  explicit Motility(const Model& model, int threads = 1, MotilityData data = {},
                    int64_t most_with_speeds = kMostWithSpeeds);

  // To be called whenever a run stops to look. `phase` is the one that the next MCS belongs to, -1
  // where it is not measured. Returns rows of direction_correlation.csv where they are due.
  std::vector<IntervalCorrelation> watch(const Look& look, int phase);
  // The first MCS after `mcs` that watch() has to see within this phase; -1 where there is none.
  int64_t next_due(int64_t mcs) const;

  // What belongs into a row of measures.csv. Of a look that watch() has had.
  std::optional<ExploredRow> explore(const Look& look);
  std::optional<double> mixed(const Look& look) const;
  // For each distance of `measure.mixed_within_um`.
  std::vector<double> mixed_within(const Look& look);

  // By phase, then by interval.
  std::vector<SpeedSums> speeds() const;
  // In the memory that `to` has already: fresh pages cost more than copying.
  void copy_data(MotilityData& to) const;

 private:
  std::vector<CorrelationBin> correlate(const Look& look, const std::vector<Vec3d>& before);
  bool correlation_is_due(const Speeds& speeds, int64_t mcs) const;

  const MeasureSettings settings_;
  Units units_;
  std::vector<bool> frozen_;
  int threads_;
  int phase_;
  std::vector<Speeds> speeds_;  // one per interval
  Explored explored_;
  std::vector<Half> halves_;
  double correlation_bin_;
  int64_t most_with_speeds_, stride_;
  std::vector<Vec3d> places_, copied_places_;  // memory for those of a moment
};

void add_arrays(const MotilityData& data, NamedArrays& arrays);
MotilityData motility_from_arrays(const NamedArrays& arrays);

}  // namespace kiln
