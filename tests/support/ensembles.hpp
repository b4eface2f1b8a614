// For tests of ensembles, on any engine.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "engine/ensemble.hpp"
#include "model/file/read.hpp"

namespace kiln::test {

// Cells at random places, so that members begin differently; `type_keys` are further keys of [types].
inline Model small_model(const std::string& type_keys, const std::string& lattice = "size = [48, 40]",
                         const std::string& root_keys = "temperature = 10") {
  return parse_model(root_keys + "\n[lattice]\n" + lattice +
                         "\n[types]\ntcell.volume = {target = 40, lambda = 5}\n"
                         "tcell.perimeter = {target = 60, lambda = 0.2}\nstone.frozen = true\n" +
                         type_keys +
                         "\n[adhesion]\ntcell.tcell = 10\ntcell.medium = 8\n"
                         "[[initial]]\nkind = \"seeds\"\ntype = \"stone\"\nradius = 2\ncount = 3\n"
                         "[[initial]]\nkind = \"seeds\"\ntype = \"tcell\"\nradius = 1\ndensity = 0.6\n",
                     "small", ".");
}

inline std::vector<uint64_t> some_seeds(int members) {
  std::vector<uint64_t> seeds;
  for (int i = 0; i < members; ++i) seeds.push_back(uint64_t(3 + 5 * i));
  return seeds;
}

inline State first_state(Model model, uint64_t seed) {
  model.seed = seed;
  return initial_state(model);
}

inline std::unique_ptr<Ensemble> ensemble_of(const Model& model, int members, const EngineOptions& options) {
  std::vector<State> states;
  for (const uint64_t seed : some_seeds(members)) states.push_back(first_state(model, seed));
  return make_ensemble(model, model.phases[0].physics.view(), std::move(states), some_seeds(members),
                       options);
}

inline void expect_same_counts(const AttemptCounts& a, const AttemptCounts& b) {
  EXPECT_EQ(a.attempts, b.attempts);
  EXPECT_EQ(a.live, b.live);
  EXPECT_EQ(a.accepted, b.accepted);
}

// Phase by phase `mcs` MCS, in stretches, against engines of one member each.
inline void check_ensemble(const Model& model, int members, const EngineOptions& options, int64_t mcs,
                           const std::string& engine_alone = "") {
  const auto ensemble = ensemble_of(model, members, options);
  ASSERT_EQ(ensemble->size(), members);
  EXPECT_EQ(ensemble->name(), options.engine);
  EngineOptions alone = options;
  if (!engine_alone.empty()) alone.engine = engine_alone;
  alone.threads = 1;
  std::vector<std::unique_ptr<Engine>> engines;
  for (const uint64_t seed : some_seeds(members)) {
    Model seeded = model;
    seeded.seed = seed;
    engines.push_back(make_engine(seeded, model.phases[0].physics.view(), initial_state(seeded), alone));
  }
  for (const Phase& phase : model.phases) {
    ensemble->set_physics(phase.physics.view());
    for (const auto& engine : engines) engine->set_physics(phase.physics.view());
    for (const int64_t stretch : {int64_t(1), mcs / 2, mcs - mcs / 2 - 1}) {
      ensemble->advance(stretch);
      parallel_for(members, 0, [&](int64_t member) { engines[std::size_t(member)]->advance(stretch); });
      std::vector<std::string> hashes(std::size_t(members), "");
      ensemble->visit([&](int64_t member, const State& s) { hashes[std::size_t(member)] = state_hash(s); });
      for (int member = 0; member < members; ++member) {
        const std::string expected = state_hash(engines[std::size_t(member)]->state());
        ASSERT_EQ(hashes[std::size_t(member)], expected) << "member " << member << ", phase " << phase.name;
        if (member % 50 != 0) continue;
        ASSERT_EQ(state_hash(ensemble->state(member)), expected) << "member " << member;
        EXPECT_EQ(audit(ensemble->state(member), model.perimeter_neighbours, model.frozen_types()), "");
      }
    }
  }
  const std::vector<AttemptCounts> counts = ensemble->counts();
  for (int member = 0; member < members; ++member)
    expect_same_counts(counts[std::size_t(member)], engines[std::size_t(member)]->counts());
}

}  // namespace kiln::test
