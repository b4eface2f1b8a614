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
  std::vector<float> shown;    // the same for copy attempts, by padded voxel
  // Concentration times voxels, at the start and now; not a number where they were not counted yet.
  double first_total = std::numeric_limits<double>::quiet_NaN();
  double total = std::numeric_limits<double>::quiet_NaN();
  SubstanceBudget budget;  // since the start

  SubstanceView view() const { return {shown.data(), voxels, coarsen}; }
  // Rows of `shown`: one after the other, then layer after layer.
  int64_t shown_rows() const {
    const Vec3i size = padded(voxels).size;
    return int64_t(size.y) * size.z;
  }
  void show_rows(int64_t first, int64_t end) {
    const Vec3i size = padded(voxels).size;
    for (int64_t row = first; row < end; ++row) {
      Vec3i place{0, int32_t(row % size.y), int32_t(row / size.y)};
      for (; place.x < size.x; ++place.x)
        shown[std::size_t(row * size.x + place.x)] =
            float(values[std::size_t(voxels.index(voxel_at_padded(voxels, place)))]);
    }
  }
  void show() {
    shown.resize(std::size_t(padded(voxels).sites()));
    show_rows(0, shown_rows());
  }
};

}  // namespace kiln
