#include "engine/ranks/brick_player.hpp"

#include "engine/host/tiles_player_impl.hpp"

namespace kiln {

template <int Dim>
BrickPlayer<Dim>::BrickPlayer(TissuePart tissue, Exchange& exchange, int reach,
                              const std::map<CellId, std::vector<int>>& holders, uint64_t seed,
                              const tiles::Settings& settings, int threads)
    : tissue_(std::move(tissue)),
      sharing_(tissue_, exchange, reach, holders),
      talk_(tissue_, sharing_, exchange, threads),
      player_(tissue_.state, {tissue_.grid.lattice(), tissue_.brick.origin, tissue_.brick.own_stored()}, seed,
              settings, threads, talk_) {}

template <int Dim>
uint64_t BrickPlayer<Dim>::hash_part() const {
  uint64_t sum = hash_of_sites(tissue_);
  for (CellId own = 1; own < tissue_.state.cells.count(); ++own)
    if (tissue_.is_cell(own) && sharing_.keeps(own)) sum += hash_of_cell(tissue_, own);
  if (tissue_.brick.rank == 0)
    sum += hash_of_frame(tissue_.grid.lattice(), tissue_.state.mcs) + hash_of_cell(tissue_, kMedium);
  return sum;
}

template class BrickPlayer<2>;
template class BrickPlayer<3>;
template class TilesPlayer<2, BrickPart>;
template class TilesPlayer<3, BrickPart>;

}  // namespace kiln
