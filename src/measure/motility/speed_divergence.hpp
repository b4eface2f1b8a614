// How far a run's speeds are from those of a reference.
#pragma once

#include <span>
#include <vector>

#include "data/speed_table.hpp"
#include "measure/motility/speeds.hpp"

namespace kiln {

// Where both can be cut: the whole numbers (µm/min) from 0 to kSpeedBins that lie inside no bin of the
// reference. Between two of them is a common bin; the last one is open.
std::vector<int> common_edges(std::span<const SpeedBin> reference);

// The Kullback-Leibler divergence of the run from the reference in bits, sum p log2(p / q) over the common
// bins, where every bin of both gets kPseudoCount more than was counted. Undefined where either is empty or
// there is but one common bin.
inline constexpr double kPseudoCount = 0.5;
double divergence_bits(const SpeedCounts& run, std::span<const SpeedBin> reference);

}  // namespace kiln
