// The points of a hexagonal packing: rows along x, every second one shifted by half a cell; in 3-D such
// layers follow each other along z as in hexagonal close packing (ABAB), so that every cell touches twelve
// others.
#pragma once

#include <vector>

#include "model/initial/nearest.hpp"

namespace kiln {

// The rows are stretched, by less than half a cell in all, so that whole cells fit into the region's box, and
// so that the pattern closes around a periodic axis that the box covers.
class HexagonalPacking {
 public:
  HexagonalPacking(const InitialStep& step, const Lattice& lattice);

  double count() const;
  // Of a cell that is not cut.
  double full_sites() const;
  std::vector<FinePoint> points() const;
  // Sites of a box around the point of this number that is as large as a full cell.
  SiteBox box_of(int64_t number) const;

 private:
  int64_t row_length(int64_t row, int64_t layer) const;
  FinePoint point(int64_t i, int64_t row, int64_t layer) const;
  Vec3d spacing() const;  // sides of a box as large as a cell, in sites

  Vec3i size_;  // of the lattice
  SiteBox box_;
  int dimension_;
  bool wraps_x_ = false;
  Vec3<int64_t> cells_{0, 0, 0};  // along each axis: cells of a row, rows of a layer, layers
};

}  // namespace kiln
