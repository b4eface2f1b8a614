#include "fidelity/ensembles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/hash.hpp"
#include "base/parallel.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

enum class Role { reference, tested, map };

struct Ensemble {
  Role role;
  Model model;
  std::vector<Observation> runs;
};

uint64_t seed_of(const std::string& scenario, std::size_t point, Role role, std::size_t run) {
  // A scenario keeps its seeds when others are added or left out.
  // Bits 0 to 31 number the run; seeds in model files are positive 63-bit numbers, and so are these.
  const uint64_t place = uint64_t(point) << 24 | uint64_t(role) << 20 | uint64_t(run);
  return (fnv1a(scenario) >> 33) << 32 | (place + 1);
}

struct Job {
  Ensemble* ensemble;
  std::size_t run;
  uint64_t seed;
};

void run_job(const Job& job, const EngineOptions& tested, const Protocol& protocol) {
  Model model = job.ensemble->model;
  model.seed = job.seed;
  const bool serial = job.ensemble->role != Role::tested;
  job.ensemble->runs[job.run] = observe(model, serial ? EngineOptions{"serial", "serial"} : tested, protocol);
}

void run_jobs(const std::vector<Job>& jobs, int workers, const EngineOptions& tested,
              const Protocol& protocol) {
  std::atomic<std::size_t> next = 0;
  in_parallel(workers, workers, [&](int, int64_t, int64_t) {
    for (std::size_t i = next++; i < jobs.size(); i = next++) run_job(jobs[i], tested, protocol);
  });
}

// Runs side by side, as many as there are cores. A GPU takes one run after another, meanwhile the serial ones
// go on.
void run_all(const std::vector<Job>& jobs, const TestedSchedule& tested, const Protocol& protocol) {
  const int cores = all_threads();
  EngineOptions options = tested.options;
  if (tested.engine != "cuda") {
    // The result does not depend on the number of threads; without a wish, runs share the cores best.
    options.threads = std::max(1, options.threads);
    run_jobs(jobs, std::max(1, cores / options.threads), options, protocol);
    return;
  }
  std::vector<Job> on_device, on_host;
  for (const Job& job : jobs) (job.ensemble->role == Role::tested ? on_device : on_host).push_back(job);
  in_parallel(2, 2, [&](int part, int64_t, int64_t) {
    if (part == 0)
      run_jobs(on_device, 1, options, protocol);
    else
      run_jobs(on_host, std::max(1, cores - 1), options, protocol);
  });
}

std::vector<Ensemble> ensembles_of(const FidelityScenario& scenario, const FidelityPoint& point,
                                   const TestedSchedule& tested) {
  std::vector<std::string> changed = point.overrides;
  changed.insert(changed.end(), tested.set.begin(), tested.set.end());
  const auto runs = [](int count) { return std::vector<Observation>(std::size_t(count)); };
  const Model model = parse_model(point.model, scenario.name, ".", point.overrides);
  std::vector<Ensemble> result;
  result.push_back({Role::reference, model, runs(scenario.runs)});
  result.push_back(
      {Role::tested, parse_model(point.model, scenario.name, ".", changed), runs(scenario.runs)});
  result.push_back({Role::map, model, runs(scenario.map_runs)});
  return result;
}

std::string point_name(const FidelityScenario& scenario, const FidelityPoint& point) {
  return scenario.parameter.empty() ? "" : fmt::format("{} {}", scenario.parameter, point.parameter);
}

Curves curves_of(const FidelityQuantity& quantity, const std::vector<Observation>& runs) {
  Curves result;
  for (const Observation& run : runs) result.push_back(quantity.of(run));
  return result;
}

}  // namespace

TestedSchedule tested_schedule(const EngineOptions& options, const std::vector<std::string>& set) {
  const Model model = parse_model(
      "[lattice]\nsize = [64, 64]\n[types.cell]\nvolume = {target = 25, lambda = 1}\n[[initial]]\n"
      "kind = \"boxes\"\ntype = \"cell\"\nbox = [5, 5]\n",
      "a small model", ".");
  const auto engine = make_engine(model, model.phases[0].physics.view(), initial_state(model), options);
  return {options, set, engine->name(), engine->schedule()};
}

std::vector<Comparison> run_scenario(const FidelityScenario& scenario, const TestedSchedule& tested) {
  std::vector<std::vector<Ensemble>> points;
  for (const FidelityPoint& point : scenario.points) points.push_back(ensembles_of(scenario, point, tested));
  std::vector<Job> jobs;
  for (std::size_t point = 0; point < points.size(); ++point)
    for (Ensemble& ensemble : points[point])
      for (std::size_t run = 0; run < ensemble.runs.size(); ++run)
        jobs.push_back({&ensemble, run, seed_of(scenario.name, point, ensemble.role, run)});
  run_all(jobs, tested, scenario.protocol);

  std::vector<Comparison> comparisons;
  for (std::size_t point = 0; point < points.size(); ++point) {
    auto &reference = points[point][0].runs, &against = points[point][1].runs;
    if (scenario.map_runs > 0) {
      const std::vector<OccupancyMap> maps = occupancy_maps(points[point][2].runs);
      add_cross_entropy(maps, reference);
      add_cross_entropy(maps, against);
    }
    for (const FidelityQuantity& quantity : scenario.quantities)
      comparisons.push_back({scenario.name, point_name(scenario, scenario.points[point]), quantity.name,
                             quantity.curve, quantity.scale, quantity.tolerance, quantity.x, quantity.x_label,
                             curves_of(quantity, reference), curves_of(quantity, against)});
  }
  return comparisons;
}

}  // namespace kiln
