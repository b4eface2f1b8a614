#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/checked.hpp"
#include "engine/cuda/checkerboard/engine.hpp"
#include "engine/cuda/tiles/engine.hpp"
#include "engine/engine_choice.hpp"
#include "engine/host/checkerboard_engine.hpp"
#include "engine/host/serial.hpp"
#include "engine/host/threads.hpp"
#include "engine/ranks/bricks_engine.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "engine/ranks/sharing.hpp"

namespace kiln {
namespace {

template <int Dim>
std::unique_ptr<Engine> on_host(const Model& model, const Physics& physics, State state,
                                const std::string& schedule, int threads, const std::string& bricks,
                                Crew* crew) {
  if (schedule == "serial") return std::make_unique<SerialEngine<Dim>>(std::move(state), physics, model.seed);
  if (schedule == "checkerboard")
    return std::make_unique<CheckerboardEngine<Dim>>(std::move(state), physics, model.seed,
                                                     model.checkerboard, threads);
  if (crew != nullptr)
    return std::make_unique<LeadEngine<Dim>>(state, physics, model.seed, tiles::settings_for(model),
                                             bricks_for(model, bricks, crew->ranks()), threads, *crew);
  if (!bricks.empty()) {
    const Vec3i counts = bricks_for(model, bricks, 0);
    return std::make_unique<BricksEngine<Dim>>(std::move(state), physics, model.seed,
                                               tiles::settings_for(model), counts,
                                               std::max(1, threads / (counts.x * counts.y * counts.z)));
  }
  return std::make_unique<ThreadsEngine<Dim>>(std::move(state), physics, model.seed,
                                              tiles::settings_for(model), threads);
}

std::unique_ptr<Engine> unchecked_engine(const Model& model, const Physics& physics, State state,
                                         const EngineOptions& given) {
  const auto [engine, schedule, threads, device, bricks, crew, board_kernels, in_memory] =
      chosen_engine(model, given);
  const cuda::Numbers numbers = in_memory ? cuda::Numbers::in_memory : cuda::Numbers::folded;
  if (schedule == "checkerboard") checkerboard::require_whole_blocks(model);
  if (engine == "cuda" && schedule == "checkerboard")
    return std::make_unique<cuda::CheckerboardEngine>(std::move(state), physics, model.seed,
                                                      model.checkerboard, model.largest_act(), device,
                                                      board_kernels, numbers);
  if (engine == "cuda") tiles::require_short_numbers(model);
  if (engine == "cuda")
    return std::make_unique<cuda::TilesEngine>(std::move(state), physics, model.seed,
                                               tiles::settings_for(model), model.largest_act(), device,
                                               numbers);
  if (model.lattice.dimension == 2)
    return on_host<2>(model, physics, std::move(state), schedule, threads, bricks, crew);
  return on_host<3>(model, physics, std::move(state), schedule, threads, bricks, crew);
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
