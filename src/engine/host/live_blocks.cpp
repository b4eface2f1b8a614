#include "engine/host/live_blocks.hpp"

namespace kiln {

template <int Dim>
void LiveBlocks<Dim>::rebuild(const State& state, const std::vector<bool>& frozen_types) {
  const Lattice& lattice = state.lattice;
  size_ = lattice.size;
  const auto blocks_along = [](int32_t length) { return (length + kEdge - 1) / kEdge; };
  blocks_ = {blocks_along(size_.x), blocks_along(size_.y), Dim == 2 ? 1 : blocks_along(size_.z)};
  const std::size_t count = std::size_t(blocks_.x) * std::size_t(blocks_.y) * std::size_t(blocks_.z);
  live_pairs_.assign(count, 0);
  slot_.assign(count, 0);
  for (int k = 0; k < Moore<Dim>::kCount; ++k) {
    const Vec3i offset = Moore<Dim>::offset(k);
    for (int32_t z = 0; z < size_.z; ++z)
      for (int32_t y = 0; y < size_.y; ++y)
        for (int32_t x = 0; x < size_.x; ++x) {
          const Vec3i here{x, y, z};
          Vec3i there = here + offset;
          if (!lattice.wrap(there)) continue;
          const CellId cell = state.ids[std::size_t(lattice.index(here))];
          if (cell == state.ids[std::size_t(lattice.index(there))]) continue;
          if (!frozen_types[state.cells.type[cell]]) live_pairs_[std::size_t(block_of(here))] += 1;
        }
  }
  begin_mcs();
}

template <int Dim>
void LiveBlocks<Dim>::begin_mcs() {
  list_.clear();
  live_sites_ = 0;
  for (std::size_t block = 0; block < live_pairs_.size(); ++block) {
    if (live_pairs_[block] == 0) continue;
    slot_[block] = uint32_t(list_.size());
    list_.push_back(uint32_t(block));
    live_sites_ += sites_in(int64_t(block));
  }
}

template <int Dim>
void LiveBlocks<Dim>::update(const Lattice& lattice, const Patch<Dim>& neighbours, const Vec3i& place,
                             CellId from, CellId to) {
  int own_change = 0;
  const int64_t own_block = block_of(place);
  for (int k = 0; k < Moore<Dim>::kCount; ++k) {
    const CellId id = neighbours.id(Patch<Dim>::lane_of(k));
    // A pair of sites counts once from either side, and neither `from` nor `to` is ever frozen.
    const int change_of_pair = id == from ? +1 : id == to ? -1 : 0;
    if (change_of_pair == 0) continue;
    own_change += change_of_pair;
    Vec3i p = place + Moore<Dim>::offset(k);
    lattice.wrap(p);
    const int64_t block = block_of(p);
    if (block == own_block)
      own_change += change_of_pair;
    else
      change(block, change_of_pair);
  }
  change(own_block, own_change);
}

template <int Dim>
void LiveBlocks<Dim>::change(int64_t block, int by) {
  uint16_t& pairs = live_pairs_[std::size_t(block)];
  const bool was_live = pairs > 0;
  pairs = uint16_t(pairs + by);
  const bool is_live = pairs > 0;
  if (was_live == is_live) return;
  if (is_live) {
    slot_[std::size_t(block)] = uint32_t(list_.size());
    list_.push_back(uint32_t(block));
    live_sites_ += sites_in(block);
  } else {
    const uint32_t hole = slot_[std::size_t(block)];
    list_[hole] = list_.back();
    slot_[list_[hole]] = hole;
    list_.pop_back();
    live_sites_ -= sites_in(block);
  }
}

template <int Dim>
Site LiveBlocks<Dim>::sites_in(int64_t block) const {
  const Vec3i b{int32_t(block % blocks_.x), int32_t(block / blocks_.x % blocks_.y),
                int32_t(block / (int64_t(blocks_.x) * blocks_.y))};
  Site sites = 1;
  for (int axis = 0; axis < Dim; ++axis) sites *= std::min(kEdge, size_[axis] - b[axis] * kEdge);
  return sites;
}

template class LiveBlocks<2>;
template class LiveBlocks<3>;

}  // namespace kiln
