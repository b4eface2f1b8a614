// The GPU engine on a list of cases, as a table and, with --json FILE, as JSON. Every case plays the same
// number of MCS on every machine, so that the hashes in the table can be compared. With --living: what living
// cells and substances cost, each case by turns with the same one without them.
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
constexpr int64_t kTick = 10;                 // MCS; cells of division3d look at their rules that often

struct Case {
  std::string name;
  int size;
};

struct LivingCase {
  Case with;
  std::string without;
};

struct Options {
  bool quick = false, size_scan = false, huge = false, with_lymphnode = false, numbers_in_memory = false;
  bool living = false;
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

// The cases that --only names, or all, halved where --quick asks for it; `case_of` finds what a row times.
template <class Row, class CaseOf>
std::vector<Row> chosen(std::vector<Row> rows, const Options& options, const CaseOf& case_of) {
  if (!options.only.empty()) {
    std::erase_if(rows, [&](Row& row) { return case_of(row).name != options.only; });
    if (rows.empty()) throw UserError(fmt::format("--only is {}, which is none of the cases.", options.only));
  }
  if (options.quick)
    for (Row& row : rows) case_of(row).size /= 2;
  return rows;
}

std::vector<Case> chosen_cases(const Options& options) {
  std::vector<Case> cases = {{"act3d", 512},        {"act3d", 1024},     {"collective3d", 256},
                             {"collective3d", 512}, {"sorting2d", 2048}, {"sorting2d", 4096},
                             {"dense3d", 512}};
  if (options.with_lymphnode) cases.push_back({"lymphnode", 1024});
  if (options.size_scan) {
    cases = {{"act3d", 256}, {"act3d", 512}, {"act3d", 1024}};
    if (options.huge) cases.push_back({"act3d", 2048});
  }
  return chosen(cases, options, [](Case& c) -> Case& { return c; });
}

// act3d has 3.4 million cells at 800, and 7.2 at 1024.
std::vector<LivingCase> chosen_living_cases(const Options& options) {
  const std::vector<LivingCase> cases = {
      {{"equations3d", 512}, "act3d"},     {{"growth3d", 512}, "act3d"},
      {{"division3d", 512}, "act3d"},      {{"division3d", 800}, "act3d"},
      {{"equations3d", 1024}, "act3d"},    {{"growth3d", 1024}, "act3d"},
      {{"division3d", 1024}, "act3d"},     {{"substance3d", 512}, "lymphnode"},
      {{"substance3d", 1024}, "lymphnode"}};
  return chosen(cases, options, [](LivingCase& c) -> Case& { return c.with; });
}

// A case on the GPU, from its first state on.
class Played {
 public:
  Played(const Case& which, const cuda::Device& device, bool numbers_in_memory)
      : model_(parse_model(bench_model(which.name, which.size), which.name, ".")) {
    require_memory(model_);
    State state = initial_state(model_);
    cells_ = double(state.cells.count()) - 1;
    const int64_t free_before = device.free_memory();
    EngineOptions how;
    how.engine = "cuda";
    how.numbers_in_memory = numbers_in_memory;
    engine_ = make_engine(model_, model_.phases[0].physics.view(), std::move(state), how);
    device_bytes_ = double(free_before - device.free_memory());
  }

  double sites() const { return double(model_.lattice.sites()); }
  double cells() const { return cells_; }
  double device_bytes() const { return device_bytes_; }
  Engine& engine() { return *engine_; }
  int64_t chunk() const { return int64_t(kSiteUpdatesPerChunk / sites()) + 1; }  // MCS
  double ms_per_mcs(int64_t mcs) {
    const auto start = std::chrono::steady_clock::now();
    engine_->advance(mcs);
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count() /
           double(mcs);
  }

 private:
  Model model_;
  double cells_ = 0, device_bytes_ = 0;
  std::unique_ptr<Engine> engine_;
};

double middle_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Outcome time_case(const Case& which, const cuda::Device& device, bool numbers_in_memory) {
  Played played(which, device, numbers_in_memory);
  Outcome result;
  result.which = which;
  result.sites = played.sites();
  result.cells = played.cells();
  result.device_bytes = played.device_bytes();
  result.settings = played.engine().settings();
  const int64_t chunk = played.chunk();
  result.timed = chunk * kChunks;
  result.burn_in = std::max(kLeastBurnIn, result.timed);
  played.engine().advance(result.burn_in);
  for (int i = 0; i < kChunks; ++i) result.ms_per_mcs.push_back(played.ms_per_mcs(chunk));
  std::sort(result.ms_per_mcs.begin(), result.ms_per_mcs.end());
  result.hash = state_hash(played.engine().state());
  return result;
}

// Both lie on the GPU, and are timed by turns.
void time_living_case(const LivingCase& c, const cuda::Device& device, bool numbers_in_memory) {
  Played without({c.without, c.with.size}, device, numbers_in_memory),
      with(c.with, device, numbers_in_memory);
  const int64_t chunk = (with.chunk() + kTick - 1) / kTick * kTick;
  const int64_t burn_in = std::max(kLeastBurnIn, chunk);
  without.engine().advance(burn_in);
  with.engine().advance(burn_in);
  std::vector<double> ms_without, ms_with, shares;
  for (int i = 0; i < kChunks; ++i) {
    ms_without.push_back(without.ms_per_mcs(chunk));
    ms_with.push_back(with.ms_per_mcs(chunk));
    shares.push_back(ms_with.back() / ms_without.back());
  }
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  fmt::print("{:<14} {:>6} {:>12} {:>6} {:>12.4g} {:<10} {:>9.4g} {:>8.3f} {:>8.3f} {:.3f}\n", c.with.name,
             c.with.size, grouped(with.cells()), burn_in + chunk * kChunks, middle_of(ms_with), c.without,
             middle_of(ms_without), middle_of(shares), *least, *most);
  std::fflush(stdout);
}

std::string capability(const cuda::DeviceInfo& gpu) { return fmt::format("{}.{}", gpu.major, gpu.minor); }

void print_head(const cuda::DeviceInfo& gpu) {
  fmt::print("Kiln {} on {}, compute capability {}, {} multiprocessors at up to {} MHz, memory at {} MHz\n",
             KILN_VERSION, gpu.name, capability(gpu), gpu.multiprocessors, gpu.clock_khz / 1000,
             gpu.memory_clock_khz / 1000);
  fmt::print("driver for CUDA {}, NVRTC {}\n\n", cuda::availability().driver_version,
             cuda::availability().nvrtc_version);
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
template <class Work>
bool time_or_leave_out(const Case& which, const Work& work) {
  try {
    work();
    return true;
  } catch (const UserError& e) {
    fmt::print("{:<14} {:>6} left out: {}\n", which.name, which.size, e.what());
    return false;
  }
}

bool run_living(const Options& options, const cuda::Device& device) {
  fmt::print("{:<14} {:>6} {:>12} {:>6} {:>12} {:<20} {:>8} {:>8} {}\n", "case", "size", "cells", "MCS",
             "ms per MCS", "of the same without", "times", "least", "most");
  bool all = true;
  for (const LivingCase& c : chosen_living_cases(options))
    all &= time_or_leave_out(c.with, [&] { time_living_case(c, device, options.numbers_in_memory); });
  return all;
}

bool run_cases(const Options& options, const cuda::Device& device) {
  fmt::print("{:<14} {:>6} {:>12} {:>6} {:>12} {:>16} {:>12}  {}\n", "case", "size", "cells", "MCS",
             "ms per MCS", "site updates/s", "bytes/site", "hash");
  std::vector<Outcome> outcomes;
  bool all = true;
  for (const Case& c : chosen_cases(options))
    all &= time_or_leave_out(c, [&] {
      outcomes.push_back(time_case(c, device, options.numbers_in_memory));
      print_row(outcomes.back());
    });
  if (!options.json.empty()) write_text_atomically(options.json, all_json(device.info(), outcomes));
  return all;
}

int run(const Options& options) {
  if (const std::string& why_not = cuda::availability().why_not; !why_not.empty())
    throw Failure("no GPU can be used: " + why_not);
  const cuda::Device device(0);
  print_head(device.info());
  return (options.living ? run_living(options, device) : run_cases(options, device)) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"Times the GPU engine: ms per MCS, the median of several chunks after a burn-in.",
               "gpu_bench"};
  app.add_flag("--quick", options.quick, "all sizes halved");
  auto* scan = app.add_flag("--size-scan", options.size_scan, "act3d alone, from 256 to 1024 sites per edge");
  app.add_flag("--huge", options.huge, "with --size-scan: 2048 as well")->needs(scan);
  auto* lymphnode =
      app.add_flag("--with-lymphnode", options.with_lymphnode, "the lymph node of 1024 sites as well");
  lymphnode->excludes(scan);
  auto* living = app.add_flag("--living", options.living,
                              "living cells and substances, each by turns with the same without them");
  living->excludes(scan)->excludes(lymphnode);
  app.add_option("--only", options.only, "one case, as sorting2d")->type_name("CASE");
  app.add_flag("--numbers-in-memory", options.numbers_in_memory,
               "kernels that read temperature, lambdas, targets and J from memory");
  app.add_option("--json", options.json, "writes the results to a file")->type_name("FILE")->excludes(living);
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
