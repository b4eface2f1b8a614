// A brick that is played by threads.
#pragma once

#include "engine/host/tiles_player.hpp"
#include "engine/ranks/brick_part.hpp"
#include "engine/ranks/rank_player.hpp"

namespace kiln {

template <int Dim>
class BrickPlayer : public RankPlayer {
 public:
  // `living` is the model where something happens between two MCS, else nullptr.
  BrickPlayer(TissuePart tissue, Exchange& exchange, const Holders& holders, const Physics& physics,
              uint64_t seed, const tiles::Settings& settings, int threads, const Model* living = nullptr);

  void set_physics(const Physics& physics) override { physics_ = physics; }
  void advance(int64_t mcs) override { player_.advance(physics_, mcs); }
  const TissuePart& tissue() const override { return tissue_; }
  const Sharing& sharing() const override { return sharing_; }
  AttemptCounts counts() const override { return player_.counts(); }
  int threads() const override { return player_.threads(); }
  Traffic traffic() const override { return talk_.traffic(); }

 private:
  std::unique_ptr<LivingStage> stage_of(const Model* living, Exchange& exchange, int threads);

  Physics physics_;
  TissuePart tissue_;
  Sharing sharing_;
  BrickPart talk_;
  TilesPlayer<Dim, BrickPart> player_;
};

// `living` as above; it has to be there while ranks are made.
MakeRank ranks_of_threads(int dimension, uint64_t seed, const tiles::Settings& settings, int threads,
                          const Model* living = nullptr);

}  // namespace kiln
