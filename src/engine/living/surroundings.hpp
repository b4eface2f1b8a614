// What formulas read of a cell's neighbours: which share of its border it has with a type, how many cells of
// a type it touches, and the mean of a property over its neighbours, weighted by the border with each.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "engine/host/team.hpp"
#include "engine/living/tissue_share.hpp"
#include "model/model.hpp"

namespace kiln {

class NeighbourCounts {
 public:
  // For inputs that formulas have; those of other things are left out.
  NeighbourCounts(const Model& model, std::vector<formula::Input> inputs);

  bool is_needed() const { return !inputs_.empty(); }
  // All members of a team call it.
  void count(const State& state, SharedTissue& tissue, Team& team, int member);
  // Daughters have what was counted for their mothers, until the next time.
  void inherit(const Cells& cells, const std::vector<CellId>& born, const TissueShare& share);
  const NeighbourValues& values() const { return values_; }

 private:
  static constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();  // the cell has no such property
  // Fixed-point numbers add up to the same sum in any order: units of 2^-30 of the largest value.
  struct Mean {
    std::size_t property;
    double unit = 1;
    std::vector<int64_t> of_cell, sum;  // in units
    std::vector<int32_t> pairs;
  };

  void prepare(const Cells& cells, SharedTissue& tissue);
  void count_rows(const State& state, const SiteFrame& frame, int member, int members);
  void count_pair(const State& state, CellId cell, CellId other);
  void unite(SharedTissue& tissue);
  void count_cells_touched(const State& state, SharedTissue& tissue);
  void work_out(const Cells& cells, int member, int members);

  std::vector<formula::Input> inputs_;
  std::vector<std::string> types_;
  std::shared_ptr<const Living> living_;
  Neighbourhood perimeter_;
  std::vector<bool> frozen_;
  bool counts_cells_ = false;
  std::vector<int32_t> borders_;  // by cell and type: pairs of sites
  std::vector<int32_t> touched_;  // by cell and type: cells
  std::vector<Mean> means_;
  NeighbourValues values_;
};

}  // namespace kiln
