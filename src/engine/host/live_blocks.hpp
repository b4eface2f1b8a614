// Live blocks. The lattice is cut into blocks of 4^d sites; a block is live while any of its
// sites, not frozen, has a Moore neighbour of another cell. Attempts with targets in dead blocks change
// nothing, so the serial engine jumps over them.
//
// The order of the live list shapes the random choices, so it has to follow from the state alone: it is in
// raster order at the start of every MCS (begin_mcs) and changes only with the copies made since.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "terms/neighbours.hpp"

namespace kiln {

template <int Dim>
class LiveBlocks {
 public:
  static constexpr int kEdge = 4;
  static constexpr int kPlaces = Dim == 2 ? 16 : 64;

  // Counts everything anew from the lattice.
  void rebuild(const State& state, const std::vector<bool>& frozen_types);
  void begin_mcs();

  // The site at `place` changed from one cell to another; `neighbours` are its Moore neighbours.
  void update(const Lattice& lattice, const Patch<Dim>& neighbours, const Vec3i& place, CellId from,
              CellId to);

  int64_t live_count() const { return int64_t(list_.size()); }
  Site live_sites() const { return live_sites_; }

  // Place number `place` of live block number `index`; false where that place of a cut block is outside.
  bool site_of(const Lattice& lattice, int64_t index, int place, Vec3i& at) const {
    int64_t block = list_[std::size_t(index)];
    const Vec3i corner{int32_t(block % blocks_.x) * kEdge, int32_t(block / blocks_.x % blocks_.y) * kEdge,
                       int32_t(block / (int64_t(blocks_.x) * blocks_.y)) * kEdge};
    at = corner + Vec3i{place % kEdge, place / kEdge % kEdge, Dim == 2 ? 0 : place / (kEdge * kEdge)};
    return at.x < lattice.size.x && at.y < lattice.size.y && at.z < lattice.size.z;
  }

 private:
  int64_t block_of(const Vec3i& p) const {
    return (int64_t(Dim == 2 ? 0 : p.z / kEdge) * blocks_.y + p.y / kEdge) * blocks_.x + p.x / kEdge;
  }
  void change(int64_t block, int by);
  Site sites_in(int64_t block) const;

  Vec3i size_, blocks_;
  std::vector<uint16_t> live_pairs_;  // per block: (site, unlike neighbour) pairs, at most 64 x 26
  std::vector<uint32_t> slot_;        // per block: where it stands in list_
  std::vector<uint32_t> list_;        // the live blocks
  Site live_sites_ = 0;               // sites in live blocks
};

}  // namespace kiln
