// What `kiln fidelity` runs and what it looks at.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "fidelity/observe.hpp"
#include "fidelity/verdict.hpp"

namespace kiln {

// One number or curve of a run, and how much of it may change.
struct FidelityQuantity {
  std::string name;
  Tolerance tolerance;
  std::function<std::vector<double>(const Observation&)> of;
  bool curve = false;
  std::optional<double> scale;  // see Comparison
  std::vector<double> x;        // a curve's points
  std::string x_label;
};

// A model of a scenario; the points of one scenario differ in one parameter.
struct FidelityPoint {
  double parameter = 0;
  std::string model;                   // TOML
  std::vector<std::string> overrides;  // as of --set
};

struct FidelityScenario {
  std::string name, what;
  std::string parameter;  // what differs between the points
  std::vector<FidelityPoint> points;
  Protocol protocol;
  int runs = 0;      // per ensemble and point, each with a seed of its own
  int map_runs = 0;  // serial runs behind the occupancy map, in neither ensemble; 0: no map
  std::vector<FidelityQuantity> quantities;
};

// The whole suite: `quick` for about two minutes on two cores, else for tens of minutes. `closely` halves the
// limits of standard deviations, and of the displacement of persistent cells.
std::vector<FidelityScenario> fidelity_scenarios(bool quick, bool closely = false);

}  // namespace kiln
