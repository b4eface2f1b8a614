#include "measure/places.hpp"

#include "base/parallel.hpp"
#include "measure/cell_table.hpp"

namespace kiln {

std::vector<Vec3d> tracked_places(const Look& look, const std::vector<bool>& frozen, int threads) {
  std::vector<Vec3d> places;
  find_tracked_places(look, frozen, threads, places);
  return places;
}

void find_tracked_places(const Look& look, const std::vector<bool>& frozen, int threads,
                         std::vector<Vec3d>& places, int64_t stride) {
  const auto numbers_below = [&](int64_t id) { return (id + stride - 1) / stride; };
  places.resize(std::size_t(numbers_below(look.cell_count())));
  if (!places.empty()) places[kMedium] = kNoPlace;
  look.each_slice([&](const CellSlice& slice) {
    const Cells& cells = slice.cells;
    const int64_t first = numbers_below(slice.id(1));
    in_parallel(numbers_below(slice.end()) - first, threads, [&](int, int64_t begin, int64_t end) {
      for (int64_t number = first + begin; number < first + end; ++number) {
        const CellId row = slice.row(CellId(number * stride));
        const bool is_there = is_tracked(cells, frozen, row) && cells.extent[row].volume > 0;
        places[std::size_t(number)] = is_there ? cells.position(row) : kNoPlace;
      }
    });
  });
}

}  // namespace kiln
