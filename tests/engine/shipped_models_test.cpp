// Every shipped model, for some MCS: bookkeeping equals a recount after each of them, and the state hash is
// the one on record. A golden hash changes only with the physics, the draws or the model, never with the
// platform or the engine's speed-ups; a change must be meant, and is then written down here.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "engine/engine.hpp"
#include "model/read.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;
constexpr int kMcs = 20;

std::map<std::string, std::string> golden_hashes() {
  std::map<std::string, std::string> result;
  std::ifstream file(std::string(KILN_SOURCE_DIR) + "/tests/engine/golden_hashes.txt");
  std::string name, hash;
  while (file >> name >> hash) result[name] = hash;
  return result;
}

std::vector<std::string> shipped_models() {
  std::vector<std::string> result;
  for (const auto& entry : fs::directory_iterator(std::string(KILN_SOURCE_DIR) + "/models"))
    if (entry.path().extension() == ".toml") result.push_back(entry.path().filename().string());
  std::sort(result.begin(), result.end());
  return result;
}

class ShippedModel : public testing::TestWithParam<std::string> {};

TEST_P(ShippedModel, KeepsItsBooksAndItsHash) {
  const Model model = read_model(fs::path(KILN_SOURCE_DIR) / "models" / GetParam());
  const auto engine = make_engine(model, model.phases[0].physics.view(), initial_state(model), {});
  ASSERT_EQ(audit(engine->state(), model.perimeter_neighbours, model.frozen_types()), "") << "at the start";
  // Go through the phases, a few MCS each, so that every set of parameters is tried.
  for (const Phase& phase : model.phases) {
    engine->set_physics(phase.physics.view());
    for (int mcs = 0; mcs < kMcs; ++mcs) {
      engine->advance(1);
      ASSERT_EQ(audit(engine->state(), model.perimeter_neighbours, model.frozen_types()), "")
          << phase.name << ", MCS " << engine->state().mcs;
    }
  }
  EXPECT_GT(engine->counts().accepted, 0);
  EXPECT_EQ(state_hash(engine->state()), golden_hashes()[GetParam()]) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(All, ShippedModel, testing::ValuesIn(shipped_models()), [](const auto& tested) {
  std::string name = tested.param.substr(0, tested.param.find('.'));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace kiln
