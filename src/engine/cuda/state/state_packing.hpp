// Between the host's State and what a device holds of it: cells in another order, sites packed into words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/state.hpp"
#include "engine/cuda/state/device_tables.hpp"
#include "engine/cuda/state/site_layout.hpp"

namespace kiln::cuda {

// Cells are numbered by type on the device. Those of one type come in the order of their places, so that
// neighbours lie close together in the tables, too.
struct CellNumbers {
  // `types` counts the medium. UserError where there are more than the device takes. Cells of the medium's
  // type are none, and those that have no sites any more: they have no rows. `spare`, by type: rows for cells
  // that come later. `frozen`, by type: these have sites as long as there are any. With `all`, cells without
  // sites have rows, too.
  CellNumbers(const State& state, int types, const std::vector<std::size_t>& spare = {},
              const std::vector<bool>& frozen = {}, bool all = false);

  // A number for a cell that came; kMedium where there is no room.
  CellId add(CellId host, TypeId type);
  CellId remove(CellId host);  // the number that it had
  std::size_t free_rows(TypeId type) const { return type < free_.size() ? free_[type].size() : 0; }
  CellId rows() const { return CellId(from_device.size()); }
  std::vector<CellId> rows_of(std::span<const CellId> hosts) const;

  std::vector<CellId> to_device, from_device;  // kMedium where there is no cell
  uint32_t first_of_type[kMostTypesByRange + 1];

 private:
  std::vector<std::vector<CellId>> free_;  // by type: the device's
};

// Sites `first` to before `first + count` at MCS number `mcs`.
template <class Word>
void pack_sites(const State& from, const SiteLayout& layout, const CellNumbers& numbers, int64_t mcs,
                int64_t first, int64_t count, Word* to) {
  const uint64_t stamp_mask = (uint64_t(1) << layout.stamp_bits()) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const std::size_t site = std::size_t(first + i);
    uint64_t word = numbers.to_device[from.ids[site]];
    if (layout.max_act > 0) word |= ((uint64_t(mcs) + from.act[site]) & stamp_mask) << layout.id_bits;
    to[i] = Word(word);
  }
}

template <class Word>
void unpack_sites(const Word* from, const SiteLayout& layout, const CellNumbers& numbers, int64_t mcs,
                  int64_t first, int64_t count, State& to) {
  const uint64_t stamp_mask = (uint64_t(1) << layout.stamp_bits()) - 1;
  const uint64_t id_mask = (uint64_t(1) << layout.id_bits) - 1;
  CellId* const ids = to.ids.data() + first;
  for (int64_t i = 0; i < count; ++i) ids[i] = numbers.from_device[std::size_t(from[i] & id_mask)];
  if (layout.max_act == 0) return;
  ActValue* const act = to.act.data() + first;
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t ahead = ((from[i] >> layout.id_bits) - uint64_t(mcs)) & stamp_mask;
    act[i] = ActValue(ahead <= uint64_t(layout.max_act) ? ahead : 0);
  }
}

}  // namespace kiln::cuda
