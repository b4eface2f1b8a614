// Running the ensembles of a scenario: serial ones for reference, and those of the schedule under test.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "fidelity/scenarios.hpp"

namespace kiln {

// The schedule under test.
struct TestedSchedule {
  EngineOptions options;
  std::vector<std::string> set;  // further changes of the tested model alone, to see what the suite notices
  std::string engine, schedule;  // what the options come to
};
TestedSchedule tested_schedule(const EngineOptions& options, const std::vector<std::string>& set);

// All comparisons of a scenario, in the order point, quantity. Seeds are fixed by the names of the scenario
// and the numbers of point and run, and no two runs share one.
std::vector<Comparison> run_scenario(const FidelityScenario& scenario, const TestedSchedule& tested);

}  // namespace kiln
