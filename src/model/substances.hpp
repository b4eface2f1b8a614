// Substances of a model: what each is like, and what cells of every type do with it.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/state.hpp"
#include "formula/tree.hpp"

namespace kiln {

namespace substances {

// A side of the box: closed; with a concentration at the wall; or with a flux into the box, in concentration
// times um per second.
struct Side {
  enum class Kind { closed, value, flux };

  Kind kind = Kind::closed;
  double number = 0;
};

struct Properties {
  double diffusion = 0;       // um2/s
  double decay = 0;           // 1/s
  std::array<Side, 6> sides;  // low and high along x, y, z; not read along periodic axes
};

}  // namespace substances

// What cells of a type do with a substance.
struct SubstanceUse {
  // Concentration per second in a voxel that is all of the type; or concentration times sites per second and
  // cell, spread over the cell's sites.
  enum class Per { site, cell };
  double secretes = 0;
  int32_t secretes_formula = -1;  // a node of Living's tree, in place of the number
  Per per = Per::site;
  // 1/s, and concentration per second at most, where all of a voxel is of the type.
  double takes_up = 0, at_most = std::numeric_limits<double>::infinity();
  std::optional<double> holds;  // concentration in voxels of which half or more is of the type

  bool secretes_anything() const { return secretes != 0 || secretes_formula >= 0; }
  bool does_anything() const { return secretes_anything() || takes_up != 0 || holds.has_value(); }
};

struct SubstanceData {
  std::string name, unit;
  substances::Properties like;
  Lattice voxels;
  int32_t coarsen = 1;  // sites along the edge of a voxel
  bool steady = false;  // always at its steady state
  int64_t update_every = 1;

  // A steady state is there from the first MCS on; what takes time has waited for the time that has passed.
  bool is_due(int64_t mcs) const { return (steady ? mcs - 1 : mcs) % update_every == 0; }
  std::vector<bool> impermeable;   // by type
  std::vector<SubstanceUse> uses;  // by type
  // What there is at the start: one of these.
  formula::Tree start_tree;
  int32_t start = 0;  // a node of it
  std::shared_ptr<const std::vector<double>> start_values;
  std::string start_file;
  std::vector<std::string> said;  // in words

  bool has_obstacles() const;
};

struct Model;

// By voxel.
std::vector<double> values_of_start(const SubstanceData& data);

// What a model's substances begin with.
std::vector<Substance> start_substances(const Model& model);

}  // namespace kiln
