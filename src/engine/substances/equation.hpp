// The equation of a substance on its voxels: what it is like, and where it comes from and goes to.
#pragma once

#include <array>
#include <vector>

#include "engine/substances/stages.hpp"
#include "model/substances.hpp"

namespace kiln::substances {

// Open parts of voxels, from counts of open sites. Empty without obstacles.
struct Openness {
  std::vector<double> volume;  // at least as large as each of the voxel's faces; 0: a closed voxel
  std::array<std::vector<double>, 3>
      low;  // of the face between a voxel and the one below it, along each axis
};
// Counted from open sites; a face is open where sites on both sides of it are. A wall that runs through a
// voxel does not part it.
Openness openness_of(const Lattice& sites, int32_t coarsen, const std::vector<bool>& open);

// Uptake by a type of cells: `rate` per second, at most `at_most` of concentration per second, in a voxel
// that is all of that type. Shares of all types add up to 1 at most, so the largest rate bounds them all.
struct Uptake {
  double rate = 0, at_most = 0;
  std::vector<double> share;  // of each voxel that is of the type
};

struct Sources {
  std::vector<double> secretion;  // concentration per second, by voxel; empty: none
  std::vector<Uptake> uptake;
  std::vector<uint8_t> held = {};  // by voxel: whether its concentration stays as it is; empty: nowhere
};

struct Equation {
  // `edge` of a voxel in um.
  Equation(const Lattice& grid, double edge, const Properties& like, Openness openness);

  Side::Kind side(int axis, bool high) const { return properties.sides[std::size_t(2 * axis + high)].kind; }
  Ghost ghost(int axis, bool high) const { return ghosts[std::size_t(2 * axis + high)]; }
  bool has_obstacles() const { return !open.volume.empty(); }
  Rates rates(const Sources& sources) const;
  // The least rate at which a disturbance vanishes; 0 where none is known.
  double slowest() const;

  Lattice voxels;
  Properties properties;
  Openness open;
  double exchange;  // D/h^2, per second
  std::array<Ghost, 6> ghosts;
  std::array<double, 6> inflow{};  // by fluxes: concentration per second in the voxels of a side
};

}  // namespace kiln::substances
