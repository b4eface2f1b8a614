// What came and went of a substance. The budget of a step follows the recurrence of the values, so it closes.
#pragma once

#include "core/substance.hpp"
#include "engine/substances/row_worker.hpp"
#include "engine/substances/voxel_share.hpp"

namespace kiln::substances {

using Budget = SubstanceBudget;

class Ledger {
 public:
  void next(const Stage& stage, const Budget& per_second);
  void end_step(Budget& budget);

 private:
  Budget now_, before_;
};

// Of what was summed row by row, y fastest: sums of rows, then of planes.
double sum_of_rows(const Lattice& voxels, const std::vector<double>& rows);
// Concentration times voxels in some rows; others are 0.
std::vector<double> sums_by_row(const Equation& equation, const std::vector<double>& values, Rows rows);
// Concentration times voxels: sums of rows, then of planes, then of all.
double total_of(const Equation& equation, const std::vector<double>& values);
// Per second, from the sums of all rows, y fastest, and what is secreted.
Budget flows_of(const Equation& equation, double secretion, const std::vector<RowSums>& rows);

}  // namespace kiln::substances
