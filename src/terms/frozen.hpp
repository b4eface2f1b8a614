// Frozen types. Their sites never change: a frozen target rejects every copy. A frozen source is first
// replaced by the medium, so that a cell can let go of it. If source and target are then the same cell,
// nothing happens.
#pragma once

#include "core/types.hpp"

namespace kiln::frozen {

KILN_HD inline CellId effective_source(CellId source, bool source_is_frozen) {
  return source_is_frozen ? kMedium : source;
}

// Whether an attempt can change anything at all; the others are null attempts.
KILN_HD inline bool is_live(CellId target, bool target_is_frozen, CellId source, bool source_is_frozen) {
  return !target_is_frozen && effective_source(source, source_is_frozen) != target;
}

}  // namespace kiln::frozen
