#include <fmt/format.h>

#include "base/error.hpp"
#include "engine/checked.hpp"
#include "engine/cuda/checkerboard/engine.hpp"
#include "engine/cuda/ranks/brick_player.hpp"
#include "engine/cuda/tiles/engine.hpp"
#include "engine/engine_choice.hpp"
#include "engine/host/checkerboard_engine.hpp"
#include "engine/host/serial.hpp"
#include "engine/host/threads.hpp"
#include "engine/ranks/brick_player.hpp"
#include "engine/ranks/bricks_engine.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "engine/ranks/make_ranks.hpp"
#include "engine/ranks/sharing.hpp"
#include "model/initial/first_sites.hpp"

namespace kiln {
namespace {

template <int Dim>
std::unique_ptr<Engine> on_host(const Model& model, const Physics& physics, State state,
                                const std::string& schedule, int threads) {
  const auto living = [&](int members) {
    return model.has_stages() ? std::make_unique<LivingStage>(model, state, members) : nullptr;
  };
  if (schedule == "serial") {
    auto stage = living(1);
    return std::make_unique<SerialEngine<Dim>>(std::move(state), physics, model.seed, Jumping::automatic,
                                               std::move(stage));
  }
  if (schedule == "checkerboard")
    return std::make_unique<CheckerboardEngine<Dim>>(std::move(state), physics, model.seed,
                                                     model.checkerboard, threads,
                                                     model.has_stages() ? &model : nullptr);
  auto stage = living(threads);
  return std::make_unique<ThreadsEngine<Dim>>(std::move(state), physics, model.seed,
                                              tiles::settings_for(model), threads, std::move(stage));
}

cuda::Numbers numbers_of(const EngineOptions& options) {
  return options.numbers_in_memory ? cuda::Numbers::in_memory : cuda::Numbers::folded;
}

// With a state, or where all processes get hold of their parts themselves.
std::unique_ptr<Engine> lead_engine(const Model& model, const Physics& physics, const State& state,
                                    const EngineOptions& options) {
  Crew& crew = *options.crew;
  const tiles::Settings settings = tiles::settings_for(model);
  const Vec3i bricks = bricks_for(model, options.bricks, crew.ranks());
  const MakeRank ranks = make_ranks(model, options, crew.ranks());
  if (!options.stored.empty())
    return std::make_unique<LeadEngine>(options.stored, physics, settings, bricks, ranks, options.threads,
                                        crew, *options.store);
  if (!options.build)
    return std::make_unique<LeadEngine>(state, physics, settings, bricks, ranks, options.threads, crew,
                                        options.store);
  try {
    return std::make_unique<LeadEngine>(model, options.notes, settings, bricks, ranks, options.threads, crew,
                                        options.store);
  } catch (const NeedsWhole&) {
    if (options.notes != nullptr) options.notes->clear();
  }
  return std::make_unique<LeadEngine>(initial_state(model, options.notes), physics, settings, bricks, ranks,
                                      options.threads, crew, options.store);
}

std::unique_ptr<Engine> unchecked_engine(const Model& model, const Physics& physics, State state,
                                         const EngineOptions& given) {
  const EngineOptions options = chosen_engine(model, given);
  const std::string &engine = options.engine, &schedule = options.schedule;
  if (schedule == "checkerboard") checkerboard::require_whole_blocks(model);
  if (engine == "cuda" && schedule == "checkerboard")
    return std::make_unique<cuda::CheckerboardEngine>(
        std::move(state), physics, model.seed, model.checkerboard, model.largest_act(), options.gpus.front(),
        options.board_kernels, numbers_of(options), &model);
  if (options.crew != nullptr) return lead_engine(model, physics, state, options);
  if (!options.bricks.empty() || options.gpus.size() > 1) {
    const Vec3i counts =
        bricks_for(model, options.bricks, options.bricks.empty() ? int(options.gpus.size()) : 0);
    return std::make_unique<BricksEngine>(std::move(state), physics, tiles::settings_for(model), counts,
                                          make_ranks(model, options, counts.x * counts.y * counts.z));
  }
  if (engine == "cuda") tiles::require_short_numbers(model);
  if (engine == "cuda")
    return std::make_unique<cuda::TilesEngine>(std::move(state), physics, model.seed,
                                               tiles::settings_for(model), model.largest_act(),
                                               options.gpus.front(), numbers_of(options), &model);
  if (model.lattice.dimension == 2)
    return on_host<2>(model, physics, std::move(state), schedule, options.threads);
  return on_host<3>(model, physics, std::move(state), schedule, options.threads);
}

}  // namespace

MakeRank make_ranks(const Model& model, const EngineOptions& options, int ranks) {
  const bool alone = options.crew == nullptr;
  const int threads = alone ? std::max(1, options.threads / ranks) : options.threads;
  const Model* const living = model.has_stages() ? &model : nullptr;
  if (options.engine == "cuda")
    return cuda::ranks_of_gpus(options.gpus, alone ? ranks : 0, model.seed, tiles::settings_for(model),
                               model.largest_act(), numbers_of(options), threads, living);
  return ranks_of_threads(model.lattice.dimension, model.seed, tiles::settings_for(model), threads, living);
}

std::unique_ptr<Engine> make_engine(const Model& model, const Physics& physics, State state,
                                    const EngineOptions& options) {
  substances::count_totals(model, state);
  std::unique_ptr<Engine> engine = unchecked_engine(model, physics, std::move(state), options);
#ifdef KILN_CHECKED
  engine =
      std::make_unique<CheckedEngine>(std::move(engine), model.perimeter_neighbours, model.frozen_types());
#endif
  return engine;
}

}  // namespace kiln
