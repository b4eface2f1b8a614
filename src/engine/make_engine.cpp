#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "engine/checked.hpp"
#include "engine/checkerboard_engine.hpp"
#include "engine/cuda/checkerboard_engine.hpp"
#include "engine/cuda/tiles_engine.hpp"
#include "engine/serial.hpp"
#include "engine/threads.hpp"

namespace kiln {
namespace {

// Below this many sites a GPU is not worth its start.
constexpr Site kWorthGpu = Site(1) << 20;

std::string chosen_engine(const Model& model, const EngineOptions& options) {
  if (options.engine != "auto") return options.engine;
  if (options.schedule == "serial") return "serial";
  // Looking for a GPU takes a moment, so small lattices do not.
  const bool gpu = model.lattice.sites() >= kWorthGpu && cuda::availability().why_not.empty();
  return gpu ? "cuda" : "threads";
}

void check(const EngineOptions& options, const std::string& engine) {
  if (engine != "serial" && engine != "threads" && engine != "cuda")
    throw UserError(
        fmt::format("--engine is \"{}\", but it can be auto, serial, threads or cuda.", options.engine));
  const std::string& schedule = options.schedule;
  if (!schedule.empty() && schedule != "serial" && schedule != "tiles" && schedule != "checkerboard")
    throw UserError(
        fmt::format("--schedule is \"{}\", but it can be tiles, checkerboard or serial.", schedule));
  if (!schedule.empty() && (engine == "serial") != (schedule == "serial"))
    throw UserError(fmt::format("--schedule is \"{}\", but the {} engine plays only {}.", schedule, engine,
                                engine == "serial" ? "serial" : "tiles and checkerboard"));
  if (options.threads < 0 || options.threads > 1024)
    throw UserError(
        fmt::format("--threads is {}, but it can be 1 to 1024, or 0 for one per core.", options.threads));
}

template <int Dim>
std::unique_ptr<Engine> on_host(const Model& model, const Physics& physics, State state,
                                const std::string& schedule, int threads) {
  if (schedule == "serial") return std::make_unique<SerialEngine<Dim>>(std::move(state), physics, model.seed);
  if (schedule == "checkerboard")
    return std::make_unique<CheckerboardEngine<Dim>>(std::move(state), physics, model.seed,
                                                     model.checkerboard, threads);
  return std::make_unique<ThreadsEngine<Dim>>(std::move(state), physics, model.seed,
                                              tiles::settings_for(model), threads);
}

std::unique_ptr<Engine> unchecked_engine(const Model& model, const Physics& physics, State state,
                                         const EngineOptions& options) {
  const std::string engine = chosen_engine(model, options);
  check(options, engine);
  const std::string schedule = engine == "serial" ? "serial" : options.schedule;
  if (schedule == "checkerboard") checkerboard::require_whole_blocks(model);
  if (engine == "cuda" && schedule == "checkerboard")
    return std::make_unique<cuda::CheckerboardEngine>(
        std::move(state), physics, model.seed, model.checkerboard, model.largest_act(), options.device);
  if (engine == "cuda")
    return std::make_unique<cuda::TilesEngine>(std::move(state), physics, model.seed,
                                               tiles::settings_for(model), model.largest_act(),
                                               options.device);
  const int cores = all_threads();
  const int threads = options.threads > 0 ? options.threads : cores;
  if (model.lattice.dimension == 2) return on_host<2>(model, physics, std::move(state), schedule, threads);
  return on_host<3>(model, physics, std::move(state), schedule, threads);
}

}  // namespace

std::unique_ptr<Engine> make_engine(const Model& model, const Physics& physics, State state,
                                    const EngineOptions& options) {
  std::unique_ptr<Engine> engine = unchecked_engine(model, physics, std::move(state), options);
#ifdef KILN_CHECKED
  engine =
      std::make_unique<CheckedEngine>(std::move(engine), model.perimeter_neighbours, model.frozen_types());
#endif
  return engine;
}

}  // namespace kiln
