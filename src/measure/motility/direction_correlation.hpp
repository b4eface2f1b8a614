// Whether cells near each other go the same way: the mean dot product of the directions of two cells' steps,
// by the distance of the two, and the order index of all cells within a distance.
#pragma once

#include <span>
#include <vector>

#include "core/lattice.hpp"
#include "measure/places.hpp"

namespace kiln {

struct CorrelationSettings {
  double distance = 50;  // sites: pairs farther apart are left out
  double bin = 10;       // sites: width of a bin of distances
  int64_t stride = 1;    // pairs of which at least one is among ids 1, 1 + stride, 1 + 2 stride, ...
  int threads = 1;
};

struct CorrelationBin {
  double low = 0, high = 0;  // sites; a distance of `high` is in the next bin
  int64_t pairs = 0;
  double correlation = kUndefined;
  // Means over the cells of the stride, each with all that are closer to it than `high`, itself among them:
  double cells_within = kUndefined;  // how many these are
  double order_index = kUndefined;   // length of the mean of their directions
  double order_null = kUndefined;    // what that would be if the directions were independent
};

// One bin per width up to the distance, where the last may be narrower. The tables are as from
// tracked_places(), one interval apart; a cell that did not move has no direction and takes part in nothing.
// Distances are between the places in `to`, on a periodic axis to the nearest image. Takes time in
// proportion to the number of pairs.
std::vector<CorrelationBin> direction_correlation(const Lattice& lattice, std::span<const Vec3d> from,
                                                  std::span<const Vec3d> to,
                                                  const CorrelationSettings& settings);

// The expected length of the mean of n independent directions: in 3-D about sqrt(8 / (3 pi n)), in 2-D
// sqrt(pi / (4 n)). Exact for few; the first term of the correction is kept for many.
double independent_order(int64_t n, int dimension);

}  // namespace kiln
