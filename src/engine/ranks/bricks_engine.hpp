// The `tiles` schedule on several bricks in one process, each played by threads of its own. The bits are
// those of ThreadsEngine.
#pragma once

#include <functional>
#include <memory>

#include "engine/engine.hpp"
#include "engine/ranks/brick_player.hpp"
#include "engine/ranks/in_process.hpp"

namespace kiln {

// Where a test looks at, or changes, what passes between ranks.
using WrapExchange = std::function<std::unique_ptr<Exchange>(Exchange&)>;

template <int Dim>
class BricksEngine : public Engine {
 public:
  BricksEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
               const Vec3i& bricks, int threads_per_brick, const WrapExchange& wrap = {});

  void set_physics(const Physics& physics) override { physics_ = physics; }
  void advance(int64_t mcs) override;
  const State& state() override;
  std::string hash() override;
  AttemptCounts counts() const override;
  std::string name() const override { return "threads"; }
  int threads() const override;
  Traffic traffic() const override;
  int bricks() const { return int(ranks_.size()); }
  const TissuePart& part(int rank) const { return ranks_[std::size_t(rank)]->tissue(); }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override;

 private:
  Physics physics_;
  tiles::Settings settings_;
  State whole_;
  bool is_old_ = false;  // whole_
  InProcess exchange_;
  std::vector<std::unique_ptr<Exchange>> wrapped_;
  std::vector<std::unique_ptr<BrickPlayer<Dim>>> ranks_;
  Team team_;
};

}  // namespace kiln
