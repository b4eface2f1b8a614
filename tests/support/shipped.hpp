// The models that come with Kiln, played on any engine: bookkeeping equals a recount after each MCS, and the
// state hash is the one on record. A golden hash changes only with the physics, the draws, the schedule or
// the model, never with the platform, the engine or its speed-ups; a change must be meant, and is then
// written down in tests/engine/golden_hashes.txt. (A test that fails prints the new line.)
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "model/file/read.hpp"

namespace kiln::test {

inline constexpr int kAuditedMcs = 20;  // of every phase
inline constexpr int kManyMcs = 1000;

inline std::filesystem::path models_folder() { return std::filesystem::path(KILN_SOURCE_DIR) / "models"; }

inline std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> result;
  for (const auto& entry : std::filesystem::directory_iterator(models_folder() / folder))
    if (entry.path().extension() == ".toml") result.push_back(folder + entry.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}
inline std::vector<std::string> shipped_models() { return models_in(""); }

// A model that is too large for tests says how it is made small: "# A quick look: --set KEY=VALUE --set ...".
inline std::vector<std::string> quick_look(const std::filesystem::path& model) {
  static constexpr std::string_view kStart = "# A quick look:";
  std::vector<std::string> set;
  std::ifstream file(model);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kStart)) {
      std::istringstream words(line.substr(kStart.size()));
      for (std::string word; words >> word;)
        if (word != "--set") set.push_back(word);
    }
  return set;
}

inline Model shipped_model(const std::string& name) {
  const std::filesystem::path file = models_folder() / name;
  return read_model(file, quick_look(file));
}

// A name that GoogleTest takes.
inline std::string test_name(const testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param.substr(0, tested.param.find('.'));
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}

// On record as lines "schedule model mcs hash"; mcs is 20 for 20 MCS of every phase.
inline std::string golden_hash(const std::string& schedule, const std::string& model, int mcs) {
  std::ifstream file(std::string(KILN_SOURCE_DIR) + "/tests/engine/golden_hashes.txt");
  std::string line_schedule, line_model, hash;
  int line_mcs;
  while (file >> line_schedule >> line_model >> line_mcs >> hash)
    if (line_schedule == schedule && line_model == model && line_mcs == mcs) return hash;
  return "none on record";
}

inline void expect_golden(Engine& engine, const std::string& model, int mcs) {
  const std::string hash = state_hash(engine.state());
  EXPECT_EQ(hash, golden_hash(engine.schedule(), model, mcs))
      << "the line would be: " << engine.schedule() << " " << model << " " << mcs << " " << hash;
}

inline std::unique_ptr<Engine> engine_for(const Model& model, const EngineOptions& options) {
  auto engine = make_engine(model, model.phases[0].physics.view(), initial_state(model), options);
  EXPECT_EQ(engine->name(), options.engine);
  return engine;
}

// Goes through the phases, a few MCS each, so that every set of parameters is tried.
inline void check_shipped_model(const std::string& name, const EngineOptions& options, bool audited) {
  const Model model = shipped_model(name);
  const auto engine = engine_for(model, options);
  for (const Phase& phase : model.phases) {
    engine->set_physics(phase.physics.view());
    for (int mcs = 0; audited && mcs < kAuditedMcs; ++mcs) {
      engine->advance(1);
      ASSERT_EQ(audit(engine->state(), model.perimeter_neighbours, model.frozen_types()), "")
          << phase.name << ", MCS " << engine->state().mcs;
    }
    if (!audited) engine->advance(kAuditedMcs);
  }
  EXPECT_GT(engine->counts().accepted, 0);
  expect_golden(*engine, name, kAuditedMcs);
}

// 1,000 MCS, the phases as long as the model says, the last as long as it takes.
inline void check_shipped_model_for_long(const std::string& name, const EngineOptions& options) {
  const Model model = shipped_model(name);
  const auto engine = engine_for(model, options);
  int64_t left = kManyMcs;
  for (const Phase& phase : model.phases) {
    const int64_t mcs = &phase == &model.phases.back() ? left : std::min(left, phase.mcs);
    engine->set_physics(phase.physics.view());
    engine->advance(mcs);
    left -= mcs;
  }
  EXPECT_EQ(audit(engine->state(), model.perimeter_neighbours, model.frozen_types()), "");
  expect_golden(*engine, name, kManyMcs);
}

}  // namespace kiln::test
