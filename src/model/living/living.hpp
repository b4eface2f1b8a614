// What cells do by themselves between two MCS: they have properties, which follow equations; they grow; and
// rules make them divide, die, change their type, or set numbers of theirs. Formulas are nodes of one tree.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/cells.hpp"
#include "core/division.hpp"
#include "formula/equations.hpp"

namespace kiln {

struct Property {
  std::string name, unit;
  bool extensive = false;  // daughters share it by their volumes; else each has the mother's
};

// A number of a cell that a rule sets.
struct Setting {
  enum class What { property, target_volume, target_perimeter, lambda };
  What what = What::property;
  int property = 0;  // its number
  // A term's lambda: what it may be, and where it lies; the term's name is that of the member.
  const char* term = nullptr;
  float OwnLambdas::*lambda = nullptr;
  double least = 0, most = 0;
  int32_t value = 0;  // a node
};

inline constexpr int32_t kNoFormula = -1;

struct Rule {
  enum class Deed { set, divide, die, become };
  struct Daughter {
    std::optional<TypeId> type;  // else the mother's
    std::vector<Setting> sets;   // from what is known of the mother
  };

  std::string name;         // for messages: "rules.0"
  std::string said;         // in words
  std::vector<bool> types;  // by type: whether it is for its cells
  Deed deed = Deed::set;
  int32_t holds = 0;          // a node: a condition, chance among it
  int32_t rate = kNoFormula;  // per second; part of `holds`, and has to be finite
  std::vector<Setting> sets;
  DivisionPlane plane = DivisionPlane::across;
  std::optional<Vec3d> normal;  // of the plane, in place of one that follows from the cell's shape
  Daughter daughters[2];
  // A death takes some MCS, in which the target falls to 0; or none.
  double dies_over_mcs = 0;
  int32_t gone_at = 0;             // sites
  std::optional<TypeId> new_type;  // of cells that change; also of cells that die and leave something
};

struct LivingType {
  std::vector<int32_t> starts;                          // nodes, by property; kNoFormula: it has none
  std::vector<int> unknowns;                            // properties that follow equations
  std::shared_ptr<const formula::Equations> equations;  // nullptr: none
  int32_t growth = kNoFormula;                          // a node: sites per second
  double up_to = std::numeric_limits<double>::infinity();
  std::vector<std::string> said;  // all of it in words
};

struct Living {
  formula::Tree tree;
  std::vector<Property> properties;
  std::vector<LivingType> types;
  std::vector<Rule> rules;
  int64_t every = 1;  // MCS between two looks at the rules
  double seconds_per_mcs = 1;
};

// Names of what formulas can read of every cell, besides its properties.
std::vector<std::string> values_of_cells();

// What can be asked of a cell's neighbours: contact(TYPE), neighbours(TYPE), neighbours_mean(PROPERTY).
inline constexpr const char* kAskContact = "contact";
inline constexpr const char* kAskNeighbours = "neighbours";
inline constexpr const char* kAskNeighboursMean = "neighbours_mean";
// Of a substance in the voxels of its sites: its mean, and the mean of what it changes from site to site.
inline constexpr const char* kAskMean = "mean";
inline constexpr const char* kAskGradient[] = {"gradient_x", "gradient_y", "gradient_z"};
// By what is asked, then by cell.
using NeighbourValues = std::map<formula::Input, std::vector<double>>;

// What the formulas of some cells read.
struct Readings {
  const Cells& cells;
  const Living& living;
  uint64_t seed;
  Stream stream;  // of random numbers
  int64_t mcs;
  // Where formulas ask for them: of neighbours, and of substances.
  const NeighbourValues* neighbours = nullptr;
  const NeighbourValues* concentrations = nullptr;
  // Of a part of a tissue: where its anchors count from, and the numbers of cells by row (nullptr: the rows).
  Vec3i origin{};
  const CellId* numbers = nullptr;

  // A value of each cell.
  void gather(const formula::Input& input, std::span<const CellId> of, double* to) const;
};

struct Model;

// The columns of a first state: properties with their start values, lives that begin. `first` as in
// start_persistence. What is not finite of a cell without a site is 0.
void start_living(const Model& model, Cells& cells, CellId first = kMedium);

// The sentence on the first property, by row, that did not start with a finite number; "" where all did. Rows
// before `from` are not looked at.
std::string wrong_start(const Model& model, const Cells& cells, CellId first = kMedium, CellId from = 0);
// Throws it as a UserError.
void require_finite_starts(const Model& model, const Cells& cells, CellId from = 0);

}  // namespace kiln
