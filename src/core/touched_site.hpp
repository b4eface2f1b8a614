// A site of a cell that something happens to between two MCS.
#pragma once

#include "core/types.hpp"

namespace kiln {

struct TouchedSite {
  CellId cell;
  Site site;
};

}  // namespace kiln
