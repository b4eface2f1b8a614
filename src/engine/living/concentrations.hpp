// What formulas read of substances in a cell: the mean concentration in the voxels of its sites, and the mean
// change from site to site along an axis.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "engine/host/team.hpp"
#include "engine/living/tissue_share.hpp"
#include "model/model.hpp"

namespace kiln {

class ConcentrationMeans {
 public:
  // For inputs that formulas have; those of other things are left out.
  ConcentrationMeans(const Model& model, const std::vector<formula::Input>& inputs);

  bool is_needed() const { return !means_.empty(); }
  // All members of a team call it.
  void count(const State& state, SharedTissue& tissue, Team& team, int member);
  // Daughters have what was counted for their mothers, until the next time.
  void inherit(const Cells& cells, const std::vector<CellId>& born, const TissueShare& share);
  const NeighbourValues& values() const { return values_; }

 private:
  // Sums of fixed-point numbers, as in NeighbourCounts.
  struct Mean {
    formula::Input input;
    std::size_t substance;
    int axis;  // of a gradient; -1: the concentration itself
    double unit = 1;
    std::vector<int64_t> of_voxel, sum;  // in units
  };

  static double value_at(const Substance& substance, std::size_t voxel, int axis);
  void prepare(const State& state);
  void add_rows(const State& state, const SiteFrame& frame, Mean& mean, int member, int members);

  std::vector<Mean> means_;
  NeighbourValues values_;
};

}  // namespace kiln
