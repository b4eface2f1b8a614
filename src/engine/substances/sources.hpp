// Where a substance comes from and goes to, from the lattice as it is: sites of every voxel are counted by
// type, and rates of single cells added in the order of the sites.
#pragma once

#include <span>

#include "engine/site_frame.hpp"
#include "engine/substances/equation.hpp"
#include "engine/substances/voxel_share.hpp"
#include "model/model.hpp"

namespace kiln::substances {

class SourceCounter {
 public:
  SourceCounter(const Model& model, const SubstanceData& substance);

  bool is_needed() const { return needed_; }
  // Makes room for what is counted.
  void prepare(Sources& sources) const;
  // What sites there are in a row of voxels, of those that the frame says are the state's own. `rates`:
  // secretion by cell, per site and second, for cells of types whose rates are formulas; may be empty where
  // there are none. `piece` is room to work in.
  void count(const State& state, const SiteFrame& frame, std::span<const double> rates, int64_t row,
             RowPiece& piece) const;
  // Rows of voxels in which the frame has own sites.
  std::vector<int64_t> rows_of(const SiteFrame& frame) const;
  // What pieces of a row, which have all its sites together, are to it.
  RowPiece put_together(std::span<const RowPiece* const> pieces) const;
  // What a whole row is as a source. Where cells hold the concentration, `held_at` gets it.
  void work_out(const RowPiece& row, const Openness& open, Sources& sources,
                std::vector<double>& held_at) const;

 private:
  double rate_of(const State& state, CellId cell, const SubstanceUse& use,
                 std::span<const double> rates) const;
  int32_t deep() const { return sites_.dimension == 3 ? coarsen_ : 1; }

  Lattice sites_, voxels_;
  int32_t coarsen_;
  std::vector<SubstanceUse> uses_;
  std::vector<uint8_t> single_;  // by type: whether what it secretes differs from cell to cell
  bool needed_ = false, secretes_ = false, of_cells_ = false, holds_ = false;
  std::vector<TypeId> takers_;  // in the order of Sources::uptake
};

}  // namespace kiln::substances
