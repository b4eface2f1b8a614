// Distributions by counting: how often and how evenly sites are tried, and where cells are.
#pragma once

#include <cstdint>
#include <vector>

#include "core/state.hpp"

namespace kiln {

// [value]: how often it was seen. The last bin takes all that lies beyond.
using Histogram = std::vector<int64_t>;

// Half the sum of |a - b| over shares: 0 for equal distributions, 1 for disjoint ones. Both have the same
// bins and at least one count.
double total_variation(const Histogram& a, const Histogram& b);

// Kullback-Leibler divergence of `tested` from `reference`, in bits: sum of t log2(t / r). Half a count is
// added to every bin of both, so that a bin that only one of them has seen stays finite.
double kl_divergence(const Histogram& reference, const Histogram& tested);

// The statistics of update attempts (figure "update statistics" of the paper): attempts per site and MCS, and
// the time from one attempt on a site to the next.
//
// In the serial chain on N sites the first is binomial (N, 1/N) and the second geometric with mean 1 MCS.
class UpdateStatistics {
 public:
  static constexpr int kCountBins = 16;    // 0 .. 14 attempts, then 15 and more
  static constexpr int kWaitingBins = 64;  // the last one: 63/8 MCS and more
  static constexpr double kBinsPerMcs = 8;

  explicit UpdateStatistics(Site sites) : attempts_(sites), last_(sites, -1) {}

  // `mcs` is the time since the start, in MCS, and never goes back.
  void attempt(Site target, double mcs);
  // Closes an MCS.
  void end_mcs();

  const Histogram& updates() const { return updates_; }
  const Histogram& waiting() const { return waiting_; }

 private:
  std::vector<int32_t> attempts_;  // per site, in this MCS
  std::vector<double> last_;       // per site: time of the last attempt; -1: none yet
  Histogram updates_ = Histogram(kCountBins), waiting_ = Histogram(kWaitingBins);
};

// Which sites belong to a cell.
using Occupancy = std::vector<bool>;
Occupancy occupancy_of(const State& state);

// How often each site was occupied in an ensemble of runs, at one time.
class OccupancyMap {
 public:
  void add(const Occupancy& run);
  int64_t runs() const { return runs_; }

  // Bits per site that the map needs to tell this run (which is not one of its own): -log2 of the probability
  // of what each site holds, (occupied + 1/2) / (runs + 1), less what it needs where all runs agree, so that
  // a map of few runs has no floor. Its mean over an ensemble is the per-site cross-entropy of that ensemble
  // relative to the map's.
  double cross_entropy(const Occupancy& run) const;

 private:
  int64_t runs_ = 0;
  std::vector<int32_t> occupied_;
};

}  // namespace kiln
