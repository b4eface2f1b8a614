#include "engine/cuda/state/state_packing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace kiln::cuda {
namespace {

// A number that rises with the place of a cell: row by row, a row being kWide sites high and deep.
uint64_t place_in_order(const State& state, CellId cell) {
  constexpr int32_t kWide = 8;
  const int32_t volume = state.cells.extent[cell].volume;
  if (volume == 0) return 0;
  const Cells::Centroid& centroid = state.cells.centroid[cell];
  Vec3i place = centroid.anchor;
  for (int axis = 0; axis < state.lattice.dimension; ++axis) {
    const int32_t length = state.lattice.size[axis];
    place[axis] = int32_t((place[axis] + centroid.sum[axis] / volume) % length);
    if (place[axis] < 0) place[axis] += length;
  }
  const uint64_t rows = uint64_t(state.lattice.size.y / kWide + 1);
  return (uint64_t(place.z / kWide) * rows + uint64_t(place.y / kWide)) * uint64_t(state.lattice.size.x) +
         uint64_t(place.x);
}

}  // namespace

CellNumbers::CellNumbers(const State& state, int types) {
  const std::vector<TypeId>& type = state.cells.type;
  const CellId cells = state.cells.count();
  if (types > kMostTypesByRange)
    throw UserError(fmt::format("the model has {} types, but the CUDA engine takes at most {}.", types,
                                kMostTypesByRange));
  std::vector<std::pair<uint64_t, CellId>> order(cells);
  for (CellId cell = 0; cell < cells; ++cell)
    order[cell] = {uint64_t(type[cell]) << 56 | place_in_order(state, cell), cell};
  std::sort(order.begin(), order.end());
  from_device.resize(cells);
  std::transform(order.begin(), order.end(), from_device.begin(), [](const auto& o) { return o.second; });
  to_device.resize(cells);
  for (CellId i = 0; i < cells; ++i) to_device[from_device[i]] = i;
  for (int k = 0; k <= kMostTypesByRange; ++k)
    first_of_type[k] = uint32_t(std::count_if(type.begin(), type.end(), [&](TypeId t) { return t < k; }));
}

}  // namespace kiln::cuda
