#include "engine/ranks/brick_player.hpp"

#include "engine/host/tiles_player_impl.hpp"

namespace kiln {

template <int Dim>
BrickPlayer<Dim>::BrickPlayer(TissuePart tissue, Exchange& exchange, const Holders& holders,
                              const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                              int threads)
    : physics_(physics),
      tissue_(std::move(tissue)),
      sharing_(tissue_, exchange, reach_of(physics), holders),
      talk_(tissue_, sharing_, exchange, threads),
      player_(tissue_.state, {tissue_.grid.lattice(), tissue_.brick.origin, tissue_.brick.own_stored()}, seed,
              settings, threads, talk_) {}

MakeRank ranks_of_threads(int dimension, uint64_t seed, const tiles::Settings& settings, int threads) {
  return {[=](TissuePart part, Exchange& exchange, const Holders& holders,
              const Physics& physics) -> std::unique_ptr<RankPlayer> {
    if (dimension == 2)
      return std::make_unique<BrickPlayer<2>>(std::move(part), exchange, holders, physics, seed, settings,
                                              threads);
    return std::make_unique<BrickPlayer<3>>(std::move(part), exchange, holders, physics, seed, settings,
                                            threads);
  }};
}

template class BrickPlayer<2>;
template class BrickPlayer<3>;
template class TilesPlayer<2, BrickPart>;
template class TilesPlayer<3, BrickPart>;

}  // namespace kiln
