// Whether cells near each other go the same way: the mean dot product of the directions of two cells' steps,
// by the distance of the two.
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
};

// One bin per width up to the distance, where the last may be narrower. The tables are as from
// tracked_places(), one interval apart; a cell that did not move has no direction and takes part in no pair.
// Distances are between the places in `to`, on a periodic axis to the nearest image. Takes time in
// proportion to the number of pairs.
std::vector<CorrelationBin> direction_correlation(const Lattice& lattice, std::span<const Vec3d> from,
                                                  std::span<const Vec3d> to,
                                                  const CorrelationSettings& settings);

}  // namespace kiln
