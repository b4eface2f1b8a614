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

CellNumbers::CellNumbers(const State& state, int types, const std::vector<std::size_t>& spare,
                         const std::vector<bool>& frozen, bool all)
    : free_(std::size_t(types > kMostTypesByRange ? 0 : types)) {
  const std::vector<TypeId>& type = state.cells.type;
  const CellId cells = state.cells.count();
  if (types > kMostTypesByRange)
    throw UserError(fmt::format("the model has {} types, but the CUDA engine takes at most {}.", types,
                                kMostTypesByRange));
  std::vector<std::pair<uint64_t, CellId>> order;
  order.reserve(cells);
  for (CellId cell = 1; cell < cells; ++cell)
    if (type[cell] != 0 && (all || !state.cells.is_gone(cell, frozen)))
      order.emplace_back(uint64_t(type[cell]) << 56 | place_in_order(state, cell), cell);
  std::sort(order.begin(), order.end());
  to_device.assign(cells, kMedium);
  from_device.reserve(cells);
  from_device.push_back(kMedium);
  auto next = order.begin();
  first_of_type[0] = 0;
  for (int k = 1; k <= kMostTypesByRange; ++k) {
    first_of_type[k] = uint32_t(from_device.size());
    for (; next != order.end() && int(next->first >> 56) == k; ++next) {
      to_device[next->second] = CellId(from_device.size());
      from_device.push_back(next->second);
    }
    if (spare.empty() || k >= types) continue;
    std::vector<CellId>& free = free_[std::size_t(k)];
    for (std::size_t i = 0; i < spare[std::size_t(k)]; ++i) {
      free.push_back(CellId(from_device.size()));
      from_device.push_back(kMedium);
    }
    std::reverse(free.begin(), free.end());
  }
}

CellId CellNumbers::add(CellId host, TypeId type) {
  std::vector<CellId>& free = free_[type];
  if (free.empty()) return kMedium;
  const CellId row = free.back();
  free.pop_back();
  if (to_device.size() <= host) to_device.resize(host + 1, kMedium);
  to_device[host] = row;
  from_device[row] = host;
  return row;
}

std::vector<CellId> CellNumbers::rows_of(std::span<const CellId> hosts) const {
  std::vector<CellId> rows;
  rows.reserve(hosts.size());
  for (const CellId host : hosts) rows.push_back(to_device[host]);
  return rows;
}

CellId CellNumbers::remove(CellId host) {
  const CellId row = to_device[host];
  to_device[host] = kMedium;
  from_device[row] = kMedium;
  const auto behind = std::upper_bound(std::begin(first_of_type), std::end(first_of_type), row);
  free_[std::size_t(behind - std::begin(first_of_type)) - 1].push_back(row);
  return row;
}

}  // namespace kiln::cuda
