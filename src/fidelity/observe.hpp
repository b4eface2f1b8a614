// One run of an ensemble, and what is seen of it.
#pragma once

#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "fidelity/histograms.hpp"
#include "measure/motility/tracks.hpp"

namespace kiln {

// All times in MCS. Sizes, acceptance and motion are averages over the time after the burn-in.
struct Protocol {
  int64_t burn_in = 0;
  int64_t mcs = 0;             // in all
  int64_t size_every = 5;      // between samples of volumes and perimeters
  int64_t track_every = 0;     // between samples of positions; 0: motion is not followed
  int64_t order_samples = 4;   // the order index is the mean over this many last steps of a track
  std::vector<int64_t> lags;   // of the direction autocorrelation: multiples of track_every
  std::vector<int64_t> times;  // when interfaces (and occupancy) are looked at, increasing
  bool occupancy = false;
  std::optional<uint64_t> initial_seed;  // of the first state; without: the model's
};

inline constexpr int64_t kDisplacementLag = 100;  // MCS

// Undefined (NaN) or empty where the protocol does not ask for it.
struct Observation {
  double acceptance = kUndefined;                           // of all attempts
  double volume_mean = kUndefined, volume_sd = kUndefined;  // over cells; the sd's square averaged over time
  double perimeter_mean = kUndefined, perimeter_sd = kUndefined;
  double cells = kUndefined;  // averaged over time
  double length_mean = kUndefined, length_sd = kUndefined;  // where a term reads moments
  double displacement = kUndefined;  // mean distance between two places kDisplacementLag apart, sites
  double order_index = kUndefined;
  std::vector<double> autocorrelation;  // per lag: of the directions of steps of one track interval
  std::vector<double> heterotypic;      // per time: share of contacts between cells that join two types
  std::vector<Occupancy> occupancy;     // per time
  std::vector<double> cross_entropy;    // per time, against the maps of an ensemble: see add_cross_entropy
};

// Runs the model with its seed.
Observation observe(const Model& model, const EngineOptions& engine, const Protocol& protocol);

// Fills in `cross_entropy` of runs that are not among those of the maps. One map per time.
void add_cross_entropy(const std::vector<OccupancyMap>& maps, std::vector<Observation>& runs);
std::vector<OccupancyMap> occupancy_maps(const std::vector<Observation>& runs);

// The mean over cells and all samples that have another one `lag_mcs` later; NaN where there is none.
double mean_displacement(const TrackData& tracks, int64_t lag_mcs);

}  // namespace kiln
