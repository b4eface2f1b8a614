#include <fmt/format.h>

#include <chrono>

#include "cli/bench_cases.hpp"
#include "cli/commands.hpp"
#include "cli/summary.hpp"
#include "core/error.hpp"
#include "data/wording.hpp"
#include "model/read.hpp"
#include "output/run_record.hpp"

namespace kiln {
namespace {

double seconds_of(Engine& engine, int64_t mcs) {
  const auto start = std::chrono::steady_clock::now();
  engine.advance(mcs);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int default_size(const std::string& name) {
  for (const BenchCase& c : bench_cases())
    if (c.name == name) return c.default_size;
  return 64;
}

}  // namespace

int bench_command(const BenchOptions& options) {
  const int size = options.size.value_or(default_size(options.name));
  if (size < 8) throw UserError(fmt::format("--size is {}, but must be at least 8.", size));
  const Model model = parse_model(bench_model(options.name, size), options.name, ".");
  State state = initial_state(model);
  const double cells = double(state.cells.count()) - 1;
  const auto engine = make_engine(model, model.phases[0].physics.view(), std::move(state), options.engine);

  const double sites = double(model.lattice.sites());
  // Without --mcs: about 6e7 attempts, a few seconds on one core, but at least 5 MCS.
  const int64_t mcs = options.mcs > 0 ? options.mcs : std::max<int64_t>(5, int64_t(6e7 / sites));
  engine->advance(mcs);  // burn-in
  const double seconds = seconds_of(*engine, mcs);

  const double ms = 1e3 * seconds / double(mcs), rate = sites * double(mcs) / seconds;
  const std::string hash = state_hash(engine->state());
  if (options.json) {
    fmt::print(
        "{{\"case\": \"{}\", \"size\": {}, \"engine\": \"{}\", \"schedule\": \"{}\", \"device\": {}, "
        "\"ms_per_mcs\": {:.6g}, \"site_updates_per_second\": {:.6g}, \"hash\": \"{}\"}}\n",
        options.name, size, engine->name(), engine->schedule(), json_text(device_of(*engine)), ms, rate,
        hash);
    return 0;
  }
  fmt::print("{:<14} {:>6} {:>10} {:>8} {:>8} {:>12} {:>16}  {}\n", "case", "size", "cells", "engine", "MCS",
             "ms per MCS", "site updates/s", "hash");
  fmt::print("{:<14} {:>6} {:>10} {:>8} {:>8} {:>12.4g} {:>16.4g}  {}\n", options.name, size, grouped(cells),
             engine->name(), mcs, ms, rate, hash);
  return 0;
}

}  // namespace kiln
