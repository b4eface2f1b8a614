// Where cells are, as plain tables: one place per cell id, in lattice units, unwrapped.
#pragma once

#include <vector>

#include "measure/statistics.hpp"

namespace kiln {

// Of a cell that is not followed or not there.
inline constexpr Vec3d kNoPlace{kUndefined, kUndefined, kUndefined};

inline bool is_known(const Vec3d& place) { return place.x == place.x; }

// The centroids of the tracked cells with volume > 0; kNoPlace for all others. The second uses the memory
// that `places` has, and may take every stride-th id alone: 0 (no cell's), stride, 2 stride, ...
std::vector<Vec3d> tracked_places(const Look& look, const std::vector<bool>& frozen, int threads = 1);
void find_tracked_places(const Look& look, const std::vector<bool>& frozen, int threads,
                         std::vector<Vec3d>& places, int64_t stride = 1);

}  // namespace kiln
