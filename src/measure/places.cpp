#include "measure/places.hpp"

#include "measure/cell_table.hpp"

namespace kiln {

std::vector<Vec3d> tracked_places(const Cells& cells, const std::vector<bool>& frozen) {
  std::vector<Vec3d> places(cells.count(), kNoPlace);
  for (CellId cell = 1; cell < cells.count(); ++cell)
    if (is_tracked(cells, frozen, cell) && cells.extent[cell].volume > 0) places[cell] = cells.position(cell);
  return places;
}

}  // namespace kiln
