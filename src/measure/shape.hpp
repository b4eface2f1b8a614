// Cells that are not what they should be: in pieces, too wide to have a centroid, or gone.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "measure/look.hpp"

namespace kiln {

// Per cell, into how many Moore-connected components its sites fall; 0 for the medium, frozen cells and cells
// without a site. Takes about 8 bytes per stretch of equal ids along x.
std::vector<int32_t> component_counts(const State& state, const std::vector<bool>& frozen, int threads = 1);

// The number of cells with more than one component.
int64_t fragmented_cells(const State& state, const std::vector<bool>& frozen, int threads = 1);

// The number of tracked cells with volume 0.
int64_t extinct_cells(const Look& look, const std::vector<bool>& frozen, int threads = 1);

// The number of tracked cells whose sites, as offsets from the anchor, span more than half of a periodic
// axis: their centroids are not to be trusted.
int64_t wide_cells(const State& state, const std::vector<bool>& frozen);

// The same, counted where the lattice lies.
int64_t fragmented_cells(const Look& look, const std::vector<bool>& frozen, int threads = 1);
int64_t wide_cells(const Look& look, const std::vector<bool>& frozen);

}  // namespace kiln
