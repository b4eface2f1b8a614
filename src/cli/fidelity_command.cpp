#include <fmt/format.h>

#include <chrono>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "fidelity/ensembles.hpp"
#include "fidelity/report.hpp"
#include "fidelity/updates.hpp"
#include "simulation/wall_clock.hpp"

namespace kiln {
namespace {

std::vector<FidelityScenario> chosen_scenarios(const FidelityOptions& options) {
  std::vector<FidelityScenario> all = fidelity_scenarios(options.quick, options.close || options.strict), chosen;
  std::string known;
  for (FidelityScenario& scenario : all) {
    known += (known.empty() ? "" : ", ") + scenario.name;
    if (options.only.empty() || options.only == scenario.name) chosen.push_back(std::move(scenario));
  }
  if (chosen.empty())
    throw UserError(fmt::format("--only is \"{}\", but the scenarios are {}.", options.only, known));
  return chosen;
}

}  // namespace

int fidelity_command(const FidelityOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> set = options.set;
  if (options.close) set.push_back("fidelity=\"close\"");
  if (options.strict) set.push_back("fidelity=\"strict\"");
  const TestedSchedule tested = tested_schedule(options.engine, set);
  FidelityReport report;
  report.engine = tested.engine;
  report.schedule = tested.schedule;
  report.set = set;
  report.quick = options.quick;
  report.scenarios = chosen_scenarios(options);
  const std::filesystem::path folder = options.out.empty() ? "runs/fidelity" : options.out;
  std::filesystem::create_directories(folder);  // so that a folder that cannot be had is known at once

  for (const FidelityScenario& scenario : report.scenarios) {
    const auto scenario_start = std::chrono::steady_clock::now();
    for (Comparison& comparison : run_scenario(scenario, tested))
      report.comparisons.push_back(std::move(comparison));
    if (!options.json)
      fmt::print(stderr, "{}: {} ({} + {} runs, {})\n", scenario.name, scenario.what,
                 scenario.points.size() * std::size_t(scenario.runs + scenario.map_runs),
                 scenario.points.size() * std::size_t(scenario.runs),
                 duration_text(seconds_since(scenario_start)));
  }
  report.chances = chances_for(report.comparisons);
  for (const Comparison& comparison : report.comparisons)
    report.judgements.push_back(judge(comparison, report.chances));
  if (options.only.empty()) report.updates = compare_updates(tested);
  report.seconds = seconds_since(start);

  write_fidelity_files(report, folder);
  if (options.json)
    fmt::print("{}\n", fidelity_json(report, folder));
  else
    fmt::print("{}\n{}\n{}\n\n{}\n{}\n", fidelity_table(report), updates_table(report.updates),
               fidelity_notes(report), "Plots: " + (folder / "fidelity.html").string(),
               fidelity_outcome(report));
  return report.passes() ? 0 : 1;
}

}  // namespace kiln
