// The `tiles` schedule on one brick of a tissue whose others are played by other processes. The bits are
// those of ThreadsEngine.
#pragma once

#include "engine/engine.hpp"
#include "engine/ranks/brick_player.hpp"

namespace kiln {

template <int Dim>
class RankEngine : public Engine {
 public:
  // All ranks have the same `whole`, of which each keeps its part.
  RankEngine(const State& whole, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
             const Vec3i& bricks, int threads, Exchange& exchange);

  void set_physics(const Physics& physics) override { physics_ = physics; }
  void advance(int64_t mcs) override { brick_.advance(physics_, mcs); }
  // No rank has all of it.
  const State& state() override;
  std::string hash() override { return hash_text(exchange_.sum(brick_.hash_part())); }
  AttemptCounts counts() const override { return brick_.counts(); }  // of the rank
  std::string name() const override { return "threads"; }
  int threads() const override { return brick_.threads(); }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, Dim); }

 private:
  Physics physics_;
  tiles::Settings settings_;
  Exchange& exchange_;
  BrickPlayer<Dim> brick_;
};

}  // namespace kiln
