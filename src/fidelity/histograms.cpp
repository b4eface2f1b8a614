#include "fidelity/histograms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kiln {
namespace {

double total(const Histogram& histogram) {
  return double(std::accumulate(histogram.begin(), histogram.end(), int64_t(0)));
}

}  // namespace

double total_variation(const Histogram& a, const Histogram& b) {
  const double all_a = total(a), all_b = total(b);
  double sum = 0;
  for (std::size_t bin = 0; bin < a.size(); ++bin)
    sum += std::abs(double(a[bin]) / all_a - double(b[bin]) / all_b);
  return sum / 2;
}

double kl_divergence(const Histogram& reference, const Histogram& tested) {
  const double added = double(reference.size()) / 2;
  const double all_reference = total(reference) + added, all_tested = total(tested) + added;
  double sum = 0;
  for (std::size_t bin = 0; bin < reference.size(); ++bin) {
    const double r = (double(reference[bin]) + 0.5) / all_reference;
    const double t = (double(tested[bin]) + 0.5) / all_tested;
    sum += t * std::log2(t / r);
  }
  return sum;
}

void UpdateStatistics::attempt(Site target, double mcs) {
  ++attempts_[target];
  double& last = last_[target];
  if (last >= 0) ++waiting_[std::min(kWaitingBins - 1, int((mcs - last) * kBinsPerMcs))];
  last = mcs;
}

void UpdateStatistics::end_mcs() {
  for (int32_t& attempts : attempts_) {
    ++updates_[std::min(kCountBins - 1, int(attempts))];
    attempts = 0;
  }
}

Occupancy occupancy_of(const State& state) {
  Occupancy result(state.ids.size());
  for (std::size_t site = 0; site < result.size(); ++site) result[site] = state.ids[site] != kMedium;
  return result;
}

void OccupancyMap::add(const Occupancy& run) {
  occupied_.resize(run.size());
  for (std::size_t site = 0; site < run.size(); ++site) occupied_[site] += run[site] ? 1 : 0;
  ++runs_;
}

double OccupancyMap::cross_entropy(const Occupancy& run) const {
  std::vector<double> bits(std::size_t(runs_) + 1);  // for a site that was occupied in k runs, if it is now
  for (std::size_t k = 0; k < bits.size(); ++k) bits[k] = -std::log2((double(k) + 0.5) / double(runs_ + 1));
  const double least = bits.back();
  double sum = 0;
  for (std::size_t site = 0; site < run.size(); ++site) {
    const auto occupied = std::size_t(occupied_[site]);
    sum += bits[run[site] ? occupied : std::size_t(runs_) - occupied];
  }
  return sum / double(run.size()) - least;
}

}  // namespace kiln
