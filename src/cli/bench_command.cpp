#include <fmt/format.h>

#include <chrono>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/parallel.hpp"
#include "base/seconds.hpp"
#include "base/wording.hpp"
#include "cli/commands.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/ensemble.hpp"
#include "model/file/read.hpp"
#include "output/run/record.hpp"
#include "simulation/bench_cases.hpp"
#include "simulation/run/summary.hpp"

namespace kiln {
namespace {

int default_size(const std::string& name) {
  for (const BenchCase& c : bench_cases())
    if (c.name == name) return c.default_size;
  return 64;
}

// What was timed, and how long it took.
struct Timed {
  int64_t replicas = 1, mcs = 0;
  double cells = 0;  // of all replicas
  std::string engine, schedule, device, hash;
  double seconds = 0;
  Traffic traffic;      // of the burn-in, too
  double accepted = 0;  // of attempts
};

template <class Player>
double seconds_of(Player& player, int64_t mcs) {
  player.advance(mcs);  // burn-in
  const auto start = std::chrono::steady_clock::now();
  player.advance(mcs);
  return seconds_since(start);
}

Timed timed_alone(const Model& model, int64_t mcs, const EngineOptions& options) {
  EngineOptions how = options;
  how.build = how.crew != nullptr;
  const auto engine =
      make_engine(model, model.phases[0].physics.view(), how.build ? State() : initial_state(model), how);
  Timed timed;
  timed.mcs = mcs;
  timed.cells = double(engine->state_of_cells().cells.count()) - 1;
  timed.seconds = seconds_of(*engine, mcs);
  timed.engine = engine->name();
  timed.schedule = engine->schedule();
  timed.device = device_of(*engine);
  timed.hash = engine->hash();
  timed.traffic = engine->traffic();
  timed.accepted = double(engine->counts().accepted) / double(engine->counts().attempts);
  return timed;
}

// The hash is that of the first replica: with its seed it is the one that is timed alone.
Timed timed_together(Model model, int64_t mcs, int64_t replicas, const EngineOptions& options) {
  if (replicas < 1) throw UserError(fmt::format("--replicas is {}, but must be at least 1.", replicas));
  Timed timed;
  timed.replicas = replicas;
  timed.mcs = mcs;
  std::vector<State> states;
  std::vector<uint64_t> seeds;
  for (; int64_t(states.size()) < replicas; ++model.seed) {
    states.push_back(initial_state(model));
    seeds.push_back(model.seed);
    timed.cells += double(states.back().cells.count()) - 1;
  }
  const auto ensemble =
      make_ensemble(model, model.phases[0].physics.view(), std::move(states), seeds, options);
  timed.seconds = seconds_of(*ensemble, mcs);
  timed.engine = ensemble->name();
  timed.schedule = ensemble->schedule();
  const int threads = options.threads > 0 ? options.threads : all_threads();
  timed.device = ensemble->gpu().empty() ? processor_name(threads) : ensemble->gpu();
  timed.hash = state_hash(ensemble->state(0));
  return timed;
}

// What the ranks told each other, per MCS.
void add_traffic(JsonObject& json, const Timed& timed) {
  const auto per_mcs = [&](int64_t count) { return double(count) / double(2 * timed.mcs); };
  json.add("accepted", timed.accepted)
      .add("swaps_per_mcs", per_mcs(timed.traffic.swaps))
      .add("copy_bytes_per_mcs", per_mcs(timed.traffic.copies))
      .add("claim_bytes_per_mcs", per_mcs(timed.traffic.claims))
      .add("sum_bytes_per_mcs", per_mcs(timed.traffic.sums))
      .add("sharing_bytes_per_mcs", per_mcs(timed.traffic.sharing))
      .add("living_bytes_per_mcs", per_mcs(timed.traffic.living))
      .add("substance_bytes_per_mcs", per_mcs(timed.traffic.substances));
}

void require_board_of_kernels(const EngineOptions& options) {
  const BoardKernels& kernels = options.board_kernels;
  const char* asked = !kernels.skipping ? "--all-terms" : !kernels.specialised ? "--generic" : "--no-cache";
  const bool board_on_gpu = options.engine == "cuda" && options.schedule == "checkerboard";
  if (kernels.cached && kernels.specialised) return;
  if (!board_on_gpu) throw UserError(fmt::format("{} needs --engine cuda --schedule checkerboard.", asked));
}

}  // namespace

int bench_command(const BenchOptions& given) {
  BenchOptions options = given;
  const int size = options.size.value_or(default_size(options.name));
  if (size < 8) throw UserError(fmt::format("--size is {}, but must be at least 8.", size));
  require_board_of_kernels(options.engine);
  const Model model = parse_model(bench_model(options.name, size), options.name, ".", options.set);
  if (options.replicas && options.engine.crew != nullptr)
    throw UserError("--replicas are not played by several processes together; start one.");
  if (!meet_others(options.engine, model)) return follow_orders(options.engine, model);
  const double sites = double(model.lattice.sites()) * double(options.replicas.value_or(1));
  // Without --mcs: about 6e7 attempts, a few seconds on one core, but at least 5 MCS.
  const int64_t mcs = options.mcs > 0 ? options.mcs : std::max<int64_t>(5, int64_t(6e7 / sites));
  const Timed timed = options.replicas ? timed_together(model, mcs, *options.replicas, options.engine)
                                       : timed_alone(model, mcs, options.engine);

  const double ms = 1e3 * timed.seconds / double(mcs), rate = sites * double(mcs) / timed.seconds;
  if (options.json) {
    JsonObject json;
    json.add("case", options.name)
        .add("size", size)
        .add("replicas", timed.replicas)
        .add("engine", timed.engine)
        .add("schedule", timed.schedule)
        .add("device", timed.device)
        .add("ms_per_mcs", ms)
        .add("site_updates_per_second", rate)
        .add("hash", timed.hash);
    if (const cuda::MemoryUse use = cuda::most_memory_used(); use.bytes > 0) {
      JsonObject purposes;
      for (const auto& [purpose, bytes] : use.by_purpose) purposes.add(purpose, bytes);
      json.add("device_bytes", use.bytes).add("device_bytes_for", purposes);
    }
    if (timed.traffic.swaps > 0) add_traffic(json, timed);
    fmt::print("{}\n", json.line());
    return 0;
  }
  fmt::print("{:<14} {:>6} {:>8} {:>10} {:>8} {:>8} {:>12} {:>16}  {}\n", "case", "size", "replicas", "cells",
             "engine", "MCS", "ms per MCS", "site updates/s", "hash");
  fmt::print("{:<14} {:>6} {:>8} {:>10} {:>8} {:>8} {:>12.4g} {:>16.4g}  {}\n", options.name, size,
             timed.replicas, grouped(timed.cells), timed.engine, mcs, ms, rate, timed.hash);
  return 0;
}

}  // namespace kiln
