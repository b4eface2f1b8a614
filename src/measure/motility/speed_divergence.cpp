#include "measure/motility/speed_divergence.hpp"

#include <algorithm>
#include <numeric>

#include "core/math.hpp"

namespace kiln {
namespace {

double total(const std::vector<int64_t>& counts) {
  return double(std::accumulate(counts.begin(), counts.end(), int64_t(0)));
}

// Into which common bin a speed falls.
std::size_t bin_at(const std::vector<int>& edges, double speed) {
  return std::size_t(std::upper_bound(edges.begin(), edges.end(), speed) - edges.begin()) - 1;
}

}  // namespace

std::vector<int> common_edges(std::span<const SpeedBin> reference) {
  std::vector<bool> cut(kSpeedBins + 1, true);
  for (const SpeedBin& bin : reference)
    for (int edge = int(std::min(bin.low, double(kSpeedBins))) + 1; edge <= kSpeedBins && edge < bin.high;
         ++edge)
      cut[std::size_t(edge)] = false;
  std::vector<int> edges;
  for (int edge = 0; edge <= kSpeedBins; ++edge)
    if (cut[std::size_t(edge)]) edges.push_back(edge);
  return edges;
}

double divergence_bits(const SpeedCounts& run, std::span<const SpeedBin> reference) {
  const std::vector<int> edges = common_edges(reference);
  std::vector<int64_t> ours(edges.size()), theirs(edges.size());
  for (int bin = 0; bin <= kSpeedBins; ++bin) ours[bin_at(edges, bin)] += run[std::size_t(bin)];
  for (const SpeedBin& bin : reference) theirs[bin_at(edges, bin.low)] += bin.count;
  if (edges.size() < 2 || total(ours) == 0 || total(theirs) == 0) return kUndefined;

  const double extra = kPseudoCount * double(edges.size());
  double bits = 0;
  for (std::size_t bin = 0; bin < edges.size(); ++bin) {
    const double p = (double(ours[bin]) + kPseudoCount) / (total(ours) + extra);
    const double q = (double(theirs[bin]) + kPseudoCount) / (total(theirs) + extra);
    bits += p * log2_of(p / q);
  }
  return bits;
}

}  // namespace kiln
