// A model from a text, with an engine that plays it.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "engine/engine.hpp"
#include "model/file/read.hpp"

namespace kiln::test {

struct Played {
  explicit Played(const std::string& text, const std::string& engine = "threads", int threads = 2,
                  const std::string& schedule = "")
      : Played(parse_model(text, "m.toml", "."), std::nullopt, engine, threads, schedule) {}
  Played(Model given, std::optional<State> state, const std::string& engine, int threads,
         const std::string& schedule = "", const std::string& bricks = "")
      : model(std::move(given)) {
    EngineOptions options;
    options.engine = engine;
    options.threads = threads;
    options.schedule = schedule;
    options.bricks = bricks;
    first = state ? std::move(*state) : initial_state(model);
    player = make_engine(model, model.phases.front().physics.view(), first, options);
  }

  void play(int64_t mcs) { player->advance(mcs); }
  const State& state() { return player->state(); }
  const Cells& cells() { return state().cells; }
  std::string books() { return audit(state(), model.perimeter_neighbours, model.frozen_types()); }
  std::string hash() { return player->hash(); }
  int64_t alive() {
    return std::count_if(cells().life.begin() + 1, cells().life.end(),
                         [](const Cells::Life& life) { return life.end == Cells::End::none; });
  }

  Model model;
  State first;
  std::unique_ptr<Engine> player;
};

}  // namespace kiln::test
