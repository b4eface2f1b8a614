// The GPU engine on a list of cases, as a table and, with --json FILE, as JSON. Every case plays the same
// number of MCS on every machine, so that the hashes in the table can be compared.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/wording.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/engine.hpp"
#include "model/file/read.hpp"
#include "output/run/record.hpp"
#include "simulation/bench_cases.hpp"

namespace {

using namespace kiln;

constexpr int kChunks = 5;
constexpr double kSiteUpdatesPerChunk = 2e9;  // 0.1 s and more on an H200
constexpr int64_t kLeastBurnIn = 20;          // MCS; Act cells need as many to get going

struct Case {
  std::string name;
  int size;
};

struct Options {
  bool quick = false, size_scan = false, huge = false, with_lymphnode = false, numbers_in_memory = false;
  std::string only;
  std::string json;
};

struct Outcome {
  Case which;
  double sites = 0, cells = 0;
  int64_t burn_in = 0, timed = 0;  // MCS
  std::vector<double> ms_per_mcs;  // of every chunk, in rising order
  double device_bytes = 0;
  std::string settings, hash;

  double median() const { return ms_per_mcs[ms_per_mcs.size() / 2]; }
  double site_updates_per_second() const { return 1e3 * sites / median(); }
};

std::vector<Case> chosen_cases(const Options& options) {
  std::vector<Case> cases = {{"act3d", 512},        {"act3d", 1024},     {"collective3d", 256},
                             {"collective3d", 512}, {"sorting2d", 2048}, {"sorting2d", 4096},
                             {"dense3d", 512}};
  if (options.with_lymphnode) cases.push_back({"lymphnode", 1024});
  if (options.size_scan) {
    cases = {{"act3d", 256}, {"act3d", 512}, {"act3d", 1024}};
    if (options.huge) cases.push_back({"act3d", 2048});
  }
  if (!options.only.empty()) {
    std::erase_if(cases, [&](const Case& c) { return c.name != options.only; });
    if (cases.empty())
      throw UserError(fmt::format("--only is {}, which is none of the cases.", options.only));
  }
  if (options.quick)
    for (Case& c : cases) c.size /= 2;
  return cases;
}

double ms_of(Engine& engine, int64_t mcs) {
  const auto start = std::chrono::steady_clock::now();
  engine.advance(mcs);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

Outcome time_case(const Case& which, const cuda::Device& device, bool numbers_in_memory) {
  const Model model = parse_model(bench_model(which.name, which.size), which.name, ".");
  require_memory(model);
  State state = initial_state(model);
  Outcome result;
  result.which = which;
  result.sites = double(model.lattice.sites());
  result.cells = double(state.cells.count()) - 1;
  const int64_t free_before = device.free_memory();
  EngineOptions how;
  how.engine = "cuda";
  how.numbers_in_memory = numbers_in_memory;
  const auto engine = make_engine(model, model.phases[0].physics.view(), std::move(state), how);
  result.device_bytes = double(free_before - device.free_memory());
  result.settings = engine->settings();

  const int64_t chunk = int64_t(kSiteUpdatesPerChunk / result.sites) + 1;
  result.timed = chunk * kChunks;
  result.burn_in = std::max(kLeastBurnIn, result.timed);
  engine->advance(result.burn_in);
  for (int i = 0; i < kChunks; ++i) result.ms_per_mcs.push_back(ms_of(*engine, chunk) / double(chunk));
  std::sort(result.ms_per_mcs.begin(), result.ms_per_mcs.end());
  result.hash = state_hash(engine->state());
  return result;
}

std::string capability(const cuda::DeviceInfo& gpu) { return fmt::format("{}.{}", gpu.major, gpu.minor); }

void print_head(const cuda::DeviceInfo& gpu) {
  fmt::print("Kiln {} on {}, compute capability {}, {} multiprocessors at up to {} MHz, memory at {} MHz\n",
             KILN_VERSION, gpu.name, capability(gpu), gpu.multiprocessors, gpu.clock_khz / 1000,
             gpu.memory_clock_khz / 1000);
  fmt::print("driver for CUDA {}, NVRTC {}\n\n", cuda::availability().driver_version,
             cuda::availability().nvrtc_version);
  fmt::print("{:<14} {:>6} {:>12} {:>6} {:>12} {:>16} {:>12}  {}\n", "case", "size", "cells", "MCS",
             "ms per MCS", "site updates/s", "bytes/site", "hash");
}

void print_row(const Outcome& o) {
  fmt::print("{:<14} {:>6} {:>12} {:>6} {:>12.4g} {:>16.4g} {:>12.2f}  {}\n", o.which.name, o.which.size,
             grouped(o.cells), o.burn_in + o.timed, o.median(), o.site_updates_per_second(),
             o.device_bytes / o.sites, o.hash);
  std::fflush(stdout);
}

std::string outcome_json(const Outcome& o) {
  return fmt::format(
      "    {{\"case\": {}, \"size\": {}, \"cells\": {}, \"burn_in_mcs\": {}, \"timed_mcs\": {}, "
      "\"ms_per_mcs\": {}, \"ms_per_mcs_of_chunks\": [{}], \"site_updates_per_second\": {}, "
      "\"device_bytes\": {}, \"device_bytes_per_site\": {}, \"settings\": {}, \"hash\": {}}}",
      json_of(o.which.name), o.which.size, json_of(o.cells), o.burn_in, o.timed, json_of(o.median()),
      fmt::join(o.ms_per_mcs, ", "), json_of(o.site_updates_per_second()), json_of(o.device_bytes),
      json_of(o.device_bytes / o.sites), json_of(o.settings), json_of(o.hash));
}

std::string all_json(const cuda::DeviceInfo& gpu, const std::vector<Outcome>& outcomes) {
  std::vector<std::string> rows;
  for (const Outcome& outcome : outcomes) rows.push_back(outcome_json(outcome));
  return fmt::format(
      "{{\n  \"kiln\": {},\n  \"device\": {},\n  \"compute_capability\": {},\n  \"multiprocessors\": {},\n"
      "  \"sm_clock_mhz\": {},\n  \"memory_clock_mhz\": {},\n  \"driver_cuda\": {},\n  \"nvrtc\": {},\n"
      "  \"cases\": [\n{}\n  ]\n}}\n",
      json_of(KILN_VERSION), json_of(gpu.name), json_of(capability(gpu)), gpu.multiprocessors,
      gpu.clock_khz / 1000, gpu.memory_clock_khz / 1000, json_of(cuda::availability().driver_version),
      json_of(cuda::availability().nvrtc_version), fmt::join(rows, ",\n"));
}

// Cases that do not fit this machine or its GPU are named and left out.
int run(const Options& options) {
  if (const std::string& why_not = cuda::availability().why_not; !why_not.empty())
    throw Failure("no GPU can be used: " + why_not);
  const cuda::Device device(0);
  print_head(device.info());
  std::vector<Outcome> outcomes;
  int left_out = 0;
  for (const Case& c : chosen_cases(options)) {
    try {
      outcomes.push_back(time_case(c, device, options.numbers_in_memory));
      print_row(outcomes.back());
    } catch (const UserError& e) {
      ++left_out;
      fmt::print("{:<14} {:>6} left out: {}\n", c.name, c.size, e.what());
    }
  }
  if (!options.json.empty()) write_text_atomically(options.json, all_json(device.info(), outcomes));
  return left_out == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Times the GPU engine: ms per MCS, the median of several chunks after a burn-in.",
               "gpu_bench"};
  app.add_flag("--quick", options.quick, "all sizes halved");
  auto* scan = app.add_flag("--size-scan", options.size_scan, "act3d alone, from 256 to 1024 sites per edge");
  app.add_flag("--huge", options.huge, "with --size-scan: 2048 as well")->needs(scan);
  app.add_flag("--with-lymphnode", options.with_lymphnode, "the lymph node of 1024 sites as well")
      ->excludes(scan);
  app.add_option("--only", options.only, "one case, as sorting2d")->type_name("CASE");
  app.add_flag("--numbers-in-memory", options.numbers_in_memory,
               "kernels that read temperature, lambdas, targets and J from memory");
  app.add_option("--json", options.json, "writes the results to a file")->type_name("FILE");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  try {
    return run(options);
  } catch (const std::exception& e) {
    fmt::print(stderr, "gpu_bench: {}\n", e.what());
    return 1;
  }
}
