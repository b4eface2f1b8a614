// Where a substance comes from and goes to, from the lattice as it is: sites of every voxel are counted by
// type, and rates of single cells added in the order of the sites.
#pragma once

#include <span>

#include "engine/substances/equation.hpp"
#include "model/model.hpp"

namespace kiln::substances {

class SourceCounter {
 public:
  SourceCounter(const Model& model, const SubstanceData& substance);

  bool is_needed() const { return needed_; }
  // Makes room for what is counted.
  void prepare(Sources& sources) const;
  // Rows of voxels from `first` to `end` - 1, y fastest. `rates`: secretion by cell, per site and second, for
  // cells of types whose rates are formulas; may be empty where there are none. Where cells hold the
  // concentration, `held_at` gets it.
  void count_rows(const State& state, const Openness& open, std::span<const double> rates, int64_t first,
                  int64_t end, Sources& sources, std::vector<double>& held_at) const;

 private:
  struct Row;

  double rate_of(const State& state, CellId cell, const SubstanceUse& use,
                 std::span<const double> rates) const;

  Lattice sites_, voxels_;
  int32_t coarsen_;
  std::vector<SubstanceUse> uses_;
  bool needed_ = false, secretes_ = false, of_cells_ = false, holds_ = false;
  std::vector<TypeId> takers_;  // in the order of Sources::uptake
};

}  // namespace kiln::substances
