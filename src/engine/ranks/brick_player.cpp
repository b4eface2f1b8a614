#include "engine/ranks/brick_player.hpp"

#include "engine/host/tiles_player_impl.hpp"
#include "engine/ranks/brick_share.hpp"

namespace kiln {

template <int Dim>
BrickPlayer<Dim>::BrickPlayer(TissuePart tissue, Exchange& exchange, const Holders& holders,
                              const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                              int threads, const Model* living)
    : physics_(physics),
      tissue_(std::move(tissue)),
      sharing_(tissue_, exchange, reach_of(physics), holders),
      talk_(tissue_, sharing_, exchange, threads),
      player_(tissue_.state, {tissue_.grid.lattice(), tissue_.brick.origin, tissue_.brick.own_stored()}, seed,
              settings, threads, talk_, stage_of(living, exchange, threads)) {}

template <int Dim>
std::unique_ptr<LivingStage> BrickPlayer<Dim>::stage_of(const Model* living, Exchange& exchange,
                                                        int threads) {
  if (living == nullptr) return nullptr;
  auto stage = std::make_unique<LivingStage>(
      *living, tissue_.state, threads,
      std::make_unique<BrickShare>(tissue_, sharing_, exchange, talk_.traffic()));
  stage->count_totals(tissue_.state);
  return stage;
}

MakeRank ranks_of_threads(int dimension, uint64_t seed, const tiles::Settings& settings, int threads,
                          const Model* living) {
  return {[=](TissuePart part, Exchange& exchange, const Holders& holders,
              const Physics& physics) -> std::unique_ptr<RankPlayer> {
    if (dimension == 2)
      return std::make_unique<BrickPlayer<2>>(std::move(part), exchange, holders, physics, seed, settings,
                                              threads, living);
    return std::make_unique<BrickPlayer<3>>(std::move(part), exchange, holders, physics, seed, settings,
                                            threads, living);
  }};
}

template class BrickPlayer<2>;
template class BrickPlayer<3>;
template class TilesPlayer<2, BrickPart>;
template class TilesPlayer<3, BrickPart>;

}  // namespace kiln
