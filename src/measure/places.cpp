#include "measure/places.hpp"

#include "base/parallel.hpp"
#include "measure/cell_table.hpp"

namespace kiln {

std::vector<Vec3d> tracked_places(const Cells& cells, const std::vector<bool>& frozen, int threads) {
  std::vector<Vec3d> places;
  find_tracked_places(cells, frozen, threads, places);
  return places;
}

void find_tracked_places(const Cells& cells, const std::vector<bool>& frozen, int threads,
                         std::vector<Vec3d>& places) {
  places.resize(cells.count());
  in_parallel(cells.count(), threads, [&](int, int64_t begin, int64_t end) {
    for (auto cell = CellId(begin); cell < CellId(end); ++cell) {
      const bool is_there = is_tracked(cells, frozen, cell) && cells.extent[cell].volume > 0;
      places[cell] = is_there ? cells.position(cell) : kNoPlace;
    }
  });
}

}  // namespace kiln
