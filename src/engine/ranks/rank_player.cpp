#include "engine/ranks/rank_player.hpp"

namespace kiln {

uint64_t hash_part(const RankPlayer& rank) {
  const TissuePart& tissue = rank.tissue();
  uint64_t sum = hash_of_sites(tissue);
  for (CellId own = 1; own < tissue.state.cells.count(); ++own)
    if (tissue.is_cell(own) && rank.sharing().keeps(own)) sum += hash_of_cell(tissue, own);
  if (tissue.brick.rank == 0)
    sum += hash_of_frame(tissue.grid.lattice(), tissue.state.mcs) + hash_of_cell(tissue, kMedium) +
           hash_of_substances(tissue.state.substances);
  return sum;
}

int reach_of(const Physics& physics) {
  return longest_reach(*physics.adhesion_neighbours, *physics.perimeter_neighbours);
}

}  // namespace kiln
