// The `tiles` schedule on several bricks in one process, each played by threads of its own or by a GPU. The
// bits are those of ThreadsEngine.
#pragma once

#include <functional>
#include <memory>

#include "engine/host/team.hpp"
#include "engine/ranks/in_process.hpp"
#include "engine/ranks/rank_player.hpp"
#include "engine/schedule/tiles.hpp"

namespace kiln {

// Where a test looks at, or changes, what passes between ranks.
using WrapExchange = std::function<std::unique_ptr<Exchange>(Exchange&)>;

class BricksEngine : public Engine {
 public:
  BricksEngine(State state, const Physics& physics, const tiles::Settings& settings, const Vec3i& bricks,
               const MakeRank& ranks, const WrapExchange& wrap = {});

  void set_physics(const Physics& physics) override;
  void advance(int64_t mcs) override;
  const State& state() override { return bring(PartOf::all); }
  const State& state_of_cells() override { return bring(PartOf::cells); }
  std::string hash() override;
  AttemptCounts counts() const override;
  std::string name() const override { return gpu().empty() ? "threads" : "cuda"; }
  std::string gpu() const override { return ranks_.front()->gpu(); }
  int threads() const override;
  Traffic traffic() const override;
  int bricks() const { return int(ranks_.size()); }
  const TissuePart& part(int rank) const { return ranks_[std::size_t(rank)]->tissue(); }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override;

 private:
  // All ranks do it at once.
  void together(const std::function<void(int rank)>& work);
  const State& bring(PartOf what);

  tiles::Settings settings_;
  State whole_;
  int64_t cells_mcs_, sites_mcs_;  // of what whole_ has
  InProcess exchange_;
  std::vector<std::unique_ptr<Exchange>> wrapped_;
  std::vector<std::unique_ptr<RankPlayer>> ranks_;
  Team team_;
};

}  // namespace kiln
