#include "engine/engine_choice.hpp"

#include <fmt/format.h>

#include <thread>

#include "base/error.hpp"
#include "base/parallel.hpp"
#include "engine/cuda/driver/driver.hpp"
#include "engine/devices.hpp"
#include "engine/ranks/crew.hpp"

namespace kiln {
namespace {

// Below this many sites a GPU is not worth its start.
constexpr Site kWorthGpu = Site(1) << 20;

std::string meant_by_auto(const Model& model, const EngineOptions& options, int64_t simulations) {
  if (options.schedule == "serial") return "serial";
  if (options.crew != nullptr || !options.bricks.empty()) return "threads";
  // One launch plays many; but simulations with stages of their own follow each other.
  return is_worth_gpu(model, model.has_stages() ? 1 : simulations) ? "cuda" : "threads";
}

// The GPUs of this process. Where ranks of a machine see the same ones, they share them out.
std::vector<int> gpus_for(EngineOptions& options) {
  const std::vector<int> named = choose_devices(options.devices, options);
  if (options.engine != "cuda") return {};
  if (options.crew == nullptr || (named.empty() && options.device != 0))
    return named.empty() ? std::vector{options.device} : named;
  const std::vector<int> all = named.empty() ? choose_devices("all", options) : named;
  return {all[std::size_t(options.crew->processes().rank_here()) % all.size()]};
}

void check(const EngineOptions& options) {
  const std::string &engine = options.engine, &schedule = options.schedule;
  if (engine != "serial" && engine != "threads" && engine != "cuda")
    throw UserError(fmt::format("--engine is \"{}\", but it can be auto, serial, threads or cuda.", engine));
  if (!schedule.empty() && schedule != "serial" && schedule != "tiles" && schedule != "checkerboard")
    throw UserError(
        fmt::format("--schedule is \"{}\", but it can be tiles, checkerboard or serial.", schedule));
  if (!schedule.empty() && (engine == "serial") != (schedule == "serial"))
    throw UserError(fmt::format("--schedule is \"{}\", but the {} engine plays only {}.", schedule, engine,
                                engine == "serial" ? "serial" : "tiles and checkerboard"));
  if (options.threads < 0 || options.threads > 1024)
    throw UserError(
        fmt::format("--threads is {}, but it can be 1 to 1024, or 0 for one per core.", options.threads));
  const bool plays_bricks = engine != "serial" && schedule != "checkerboard";
  if (options.crew != nullptr && !plays_bricks)
    throw UserError(
        "several processes play only the tiles schedule, on threads or GPUs: leave --engine and --schedule "
        "out.");
  if (!options.bricks.empty() && !plays_bricks)
    throw UserError(fmt::format(
        "--bricks is \"{}\", but only the tiles schedule, on threads or GPUs, is played in bricks.",
        options.bricks));
  if (options.gpus.size() > 1 && schedule == "checkerboard")
    throw UserError("--devices names several GPUs, but the checkerboard is played by one.");
}

}  // namespace

// Looking for a GPU takes a moment, so small lattices do not.
bool is_worth_gpu(const Model& model, int64_t simulations) {
  return model.lattice.sites() >= kWorthGpu / simulations && cuda::availability().why_not.empty();
}

EngineOptions chosen_engine(const Model& model, const EngineOptions& options, int64_t simulations) {
  EngineOptions chosen = options;
  chosen.gpus = gpus_for(chosen);
  if (chosen.engine == "auto") chosen.engine = meant_by_auto(model, options, simulations);
  if (chosen.engine == "cuda" && chosen.gpus.empty()) chosen.gpus = {chosen.device};
  check(chosen);
  if (chosen.schedule.empty()) chosen.schedule = chosen.engine == "serial" ? "serial" : "tiles";
  if (chosen.threads == 0)
    chosen.threads = chosen.crew == nullptr
                         ? all_threads()
                         : fair_threads(all_threads(), int(std::thread::hardware_concurrency()),
                                        chosen.crew->processes().ranks_here());
  return chosen;
}

}  // namespace kiln
