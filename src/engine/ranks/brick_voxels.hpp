// Voxels of substances, shared out over ranks by layers: planes of voxels, in 2-D rows. Which rank plays
// which layers has nothing to do with its brick.
#pragma once

#include "engine/ranks/exchange.hpp"
#include "engine/ranks/tissue_part.hpp"
#include "engine/substances/voxel_share.hpp"

namespace kiln {

class BrickVoxels : public substances::VoxelShare {
 public:
  BrickVoxels(const TissuePart& part, Exchange& exchange, int64_t& told)
      : part_(part), exchange_(exchange), told_(told) {}

  bool is_whole() const override { return false; }
  substances::Rows rows(const Lattice& voxels) const override;
  std::vector<bool> sites_of_types(const State& state, const std::vector<bool>& types) override;
  void swap_edges(const Lattice& voxels, std::vector<double>& values) override;
  void gather(const Lattice& voxels, double* values, std::size_t per_row) override;
  void unite(const Lattice& voxels, std::vector<substances::RowPiece>& pieces) override;

 private:
  // Of a lattice of voxels.
  struct Layers {
    int64_t count, rows_in_each;
    int64_t first(int rank, int ranks) const { return count * rank / ranks; }
    int owner(int64_t layer, int ranks) const;
  };
  static Layers layers_of(const Lattice& voxels);

  const TissuePart& part_;
  Exchange& exchange_;
  int64_t& told_;  // bytes
};

}  // namespace kiln
