// One brick of a tissue, with all that plays it: what a rank is.
#pragma once

#include "engine/host/tiles_player.hpp"
#include "engine/ranks/brick_part.hpp"

namespace kiln {

template <int Dim>
class BrickPlayer {
 public:
  // `holders`: see Sharing.
  BrickPlayer(TissuePart tissue, Exchange& exchange, int reach,
              const std::map<CellId, std::vector<int>>& holders, uint64_t seed,
              const tiles::Settings& settings, int threads);

  // Together with all other ranks.
  void advance(const Physics& physics, int64_t mcs) { player_.advance(physics, mcs); }
  const TissuePart& tissue() const { return tissue_; }
  // What the brick adds to the hash of the whole.
  uint64_t hash_part() const;
  AttemptCounts counts() const { return player_.counts(); }
  int threads() const { return player_.threads(); }
  const Traffic& traffic() const { return talk_.traffic(); }

 private:
  TissuePart tissue_;
  Sharing sharing_;
  BrickPart talk_;
  TilesPlayer<Dim, BrickPart> player_;
};

}  // namespace kiln
