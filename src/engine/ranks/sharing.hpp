// Who shares which cells. A rank judges copies on the sizes of their cells, so it has to hear of every change
// to a cell that is in reach of its brick, wherever that happens; and it has to hear of the cell itself
// before it comes. So a cell is shared by all ranks to whose bricks it is near, and all of them know all of
// them.
//
// The border of a cell moves by one site in a round at most. Ranks agree anew every few rounds (refresh), and
// `near` means: it could come into reach until then. Whoever has sites of a cell tells all who share it whom
// its sites are near to. These have then heard of all sites of the cell, for nobody can have got some without
// sharing it. So they know who shares it from now on: cells in pieces on ranks that are no neighbours, and
// cells larger than a brick, need no more than others. A rank that comes anew is sent the cell's row by one
// of those that named it.
#pragma once

#include <map>
#include <vector>

#include "engine/ranks/tissue_part.hpp"

namespace kiln {

class Sharing {
 public:
  // `holders`: by number of a cell, all ranks to which it is near, in rising order; cells that are near to
  // one alone may be left out. Sites are read `reach` away from targets.
  Sharing(TissuePart& part, Exchange& exchange, int reach, const std::map<CellId, std::vector<int>>& holders);

  // To be called at least once in so many rounds.
  int rounds_between() const { return rounds_between_; }
  void refresh();

  // Ranks that messages go to and come from, in rising order; they change in a refresh.
  const std::vector<int>& partners() const { return partners_; }
  // Those of them, as indices, that share a cell of the rank.
  const std::vector<int>& sharers_of(CellId own) const { return sets_[set_of_[own]]; }
  bool is_shared(CellId own) const { return set_of_[own] != 0; }

 private:
  struct Neighbour {
    int rank;
    std::vector<Box> zones;  // sites of the brick, as stored, that are near to the neighbour's
  };
  // Who shares a cell after a refresh, as far as it is known here.
  struct Agreement {
    std::vector<int> owners, near;              // ranks, unsorted
    std::vector<std::pair<int, int>> named_by;  // (newcomer, who named it)
  };

  void mark_near_cells();
  void use_sets(const std::map<CellId, std::vector<int>>& ranks_by_own_id);

  TissuePart& part_;
  Exchange& exchange_;
  int rounds_between_;
  std::vector<Neighbour> neighbours_;
  std::vector<uint32_t> near_;  // by own id: bits of neighbours_
  std::vector<int> partners_;
  std::vector<std::vector<int>> sets_{{}};  // of partners; the first is empty
  std::vector<uint32_t> set_of_;            // by own id
};

// Sites along each axis that a brick has to have at least, where it is cut.
int thinnest_brick(int reach);
// By cell: the ranks to which it is near, for a tissue that lies in memory as a whole; and who keeps cells
// that have no site.
std::vector<std::vector<CellId>> cells_by_rank(const State& whole, const BrickGrid& grid, int reach);
std::map<CellId, std::vector<int>> holders_of(const std::vector<std::vector<CellId>>& cells_by_rank);

}  // namespace kiln
