// Who plays which voxels of a substance. One plays all of them; where several do
// (engine/ranks/brick_voxels.hpp), each has room for all, and plays some layers: planes of voxels, or, in
// 2-D, rows.
#pragma once

#include <cstdint>
#include <vector>

#include "core/state.hpp"

namespace kiln::substances {

// Rows of voxels along x, y fastest: `first` to `end` - 1.
struct Rows {
  int64_t first, end;

  // A member's share of them.
  Rows of(int member, int members) const {
    const int64_t count = end - first;
    return {first + count * member / members, first + count * (member + 1) / members};
  }
};
inline Rows all_rows(const Lattice& voxels) { return {0, int64_t(voxels.size.y) * voxels.size.z}; }

// A rate that a site adds to its voxel.
struct SiteRate {
  int32_t voxel;   // along x
  int32_t offset;  // of the site in the voxel, in the order in which rates are added
  double rate;
};

// What some sites are to a row of voxels, or to a stretch of it.
struct RowPiece {
  int64_t row = 0;
  int32_t first = 0, voxels = 0;  // along x
  std::vector<int32_t> counts;    // of sites, by voxel and type
  std::vector<double> of_cells;   // rates of single cells, by voxel; empty where there are none
  std::vector<SiteRate> single;   // the same for voxels of which others have sites, too: still to be added up
};

class VoxelShare {
 public:
  virtual ~VoxelShare() = default;
  virtual bool is_whole() const { return true; }
  virtual Rows rows(const Lattice& voxels) const { return all_rows(voxels); }
  // By site of the whole lattice: whether its cell is of a type that has the flag.
  virtual std::vector<bool> sites_of_types(const State& state, const std::vector<bool>& types) {
    std::vector<bool> found(state.ids.size());
    for (std::size_t site = 0; site < found.size(); ++site)
      found[site] = types[state.cells.type[state.ids[site]]];
    return found;
  }

  // All who play the substance call these at the same time.
  // Brings the layers next to the own ones.
  virtual void swap_edges(const Lattice&, std::vector<double>&) {}
  // Brings the numbers of all other rows, `per_row` of each.
  virtual void gather(const Lattice&, double*, std::size_t) {}
  // From what was counted of the own sites to what all counted of the own rows.
  virtual void unite(const Lattice&, std::vector<RowPiece>&) {}
};

}  // namespace kiln::substances
