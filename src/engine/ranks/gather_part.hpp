// The part of a tissue that a rank plays, from a state of which every rank reads only what it needs.
#pragma once

#include "engine/ranks/rank_player.hpp"
#include "engine/state_parts.hpp"

namespace kiln {

struct GatheredPart {
  TissuePart part;
  Holders holders;  // of the part's cells
};
// By all ranks at once; `at_leisure` as in Sharing. The same part as cut_out() gives, but for the order of
// cells.
GatheredPart gather_part(StateSource& stored, const BrickGrid& grid, int reach,
                         const std::vector<bool>& frozen, bool at_leisure, Exchange& exchange);

}  // namespace kiln
