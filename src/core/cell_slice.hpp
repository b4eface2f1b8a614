// Some rows of a table of cells that nobody need have as a whole.
#pragma once

#include <functional>

#include "core/cells.hpp"

namespace kiln {

// Row 0 is the medium's, as in every table; row r is of cell `before` + r.
struct CellSlice {
  const Cells& cells;
  CellId before = 0;

  CellId id(CellId row) const { return before + row; }
  // One after the last.
  CellId end() const { return before + cells.count(); }
  bool has(CellId cell) const { return cell > before && cell < end(); }
  CellId row(CellId cell) const { return cell - before; }
};

// Called for slice after slice, in the order of ids.
using TakeSlice = std::function<void(const CellSlice&)>;

}  // namespace kiln
