// A substance in the state: its concentration in every voxel, and what came and went since the start.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/concentration.hpp"

namespace kiln {

// In concentration times voxels.
struct SubstanceBudget {
  double secreted = 0, taken_up = 0, decayed = 0, crossed_walls = 0;
  double held = 0;  // added, or taken away, where cells hold a concentration
  bool operator==(const SubstanceBudget&) const = default;

  double gain() const { return (((secreted - taken_up) - decayed) + crossed_walls) + held; }
};

struct Substance {
  std::string name;
  Lattice voxels;
  int32_t coarsen = 1;
  std::vector<double> values;  // by voxel
  std::vector<float> shown;    // the same for copy attempts
  // Concentration times voxels, at the start and now; not a number where they were not counted yet.
  double first_total = std::numeric_limits<double>::quiet_NaN();
  double total = std::numeric_limits<double>::quiet_NaN();
  SubstanceBudget budget;  // since the start

  SubstanceView view() const { return {shown.data(), voxels, coarsen}; }
  void show() { shown.assign(values.begin(), values.end()); }
};

}  // namespace kiln
