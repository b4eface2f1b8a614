// Who came from whom, in formats of other programs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/cells.hpp"

namespace kiln {

// Newick: a tree in a line for every cell of the first state. Names are ids, lengths of branches lives in
// MCS, those of cells that live until `now`.
std::string newick_trees(const Cells& cells, int64_t now);

// The table of the Cell Tracking Challenge (res_track.txt): for every cell that was seen in one of the
// frames, which are at these MCS, its label, first and last frame, and its mother, or an earlier one that was
// seen; 0: none.
std::string challenge_tracks(const Cells& cells, std::span<const int64_t> frames);

}  // namespace kiln
