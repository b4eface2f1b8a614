// A lattice cut into bricks, one for every rank: where they lie, who is next to whom, and what a rank keeps
// of the sites around its own.
#pragma once

#include <string>
#include <vector>

#include "core/box.hpp"
#include "core/lattice.hpp"

namespace kiln {

// Bricks of nearly the same size, numbered x fastest.
class BrickGrid {
 public:
  BrickGrid() = default;
  BrickGrid(const Lattice& lattice, const Vec3i& counts);

  const Lattice& lattice() const { return lattice_; }
  const Vec3i& counts() const { return counts_; }
  int ranks() const { return counts_.x * counts_.y * counts_.z; }
  bool is_cut(int axis) const { return counts_[axis] > 1; }
  Box brick(int rank) const;
  int owner_of(const Vec3i& place) const;  // of a place in the lattice
  int32_t thinnest() const;                // of all bricks, along axes that are cut

  // A box with a margin, less where it is negative, along the axes that are cut.
  Box around(Box box, int margin) const;
  // How `box` lies when the lattice is seen from `from`: all images, around periodic axes, of which a part is
  // at most `distance` sites away from it.
  std::vector<Box> images_near(const Box& box, const Box& from, int distance) const;

 private:
  int32_t edge(int axis, int number) const {
    return int32_t(int64_t(lattice_.size[axis]) * number / counts_[axis]);
  }

  Lattice lattice_;
  Vec3i counts_{1, 1, 1};
};

// Cuts a lattice for so many ranks by the least surface; of two ways as good the one that cuts x less, whose
// rows then stay long, then y. Bricks are at least `thinnest` sites thick along every axis that is cut.
// Throws UserError where that cannot be had.
Vec3i brick_counts(const Lattice& lattice, int ranks, int32_t thinnest);

// "2x2x1", or "2x1" where a lattice has two axes.
std::string bricks_text(const Vec3i& counts, int dimension);
Vec3i bricks_from_text(const std::string& text, int dimension);  // throws UserError

// What a rank keeps: its brick and, along axes that are cut, a halo of sites that belong to others.
struct Brick {
  int rank = 0;
  Box own;         // in the lattice
  Vec3i origin;    // where the kept sites begin; may lie outside of a periodic lattice
  Lattice stored;  // the kept sites as a lattice of their own: closed along axes that are cut

  // Own sites, as stored.
  Box own_stored() const { return own.shifted(origin * -1); }
};
Brick brick_with_halo(const BrickGrid& grid, int rank, int halo);

}  // namespace kiln
