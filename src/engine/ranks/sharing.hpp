// Who shares which cells. A rank judges copies on the sizes of their cells, so it has to hear of every change
// to a cell that is in reach of its brick, wherever that happens; and it has to hear of the cell itself
// before it comes. So a cell is shared by all ranks to whose bricks it is near, and all of them know all of
// them.
//
// The border of a cell moves by one site in a round at most. Ranks agree anew every few rounds (refresh), and
// `near` means: it could come into reach until then. A rank that has sites of a cell, an owner, tells all who
// share it whom these sites are near to, whenever that changes. So all who share a cell know all its owners
// and all that these named, for nobody can get sites of a cell without sharing it before: cells in pieces on
// ranks that are no neighbours, and cells larger than a brick, need no more than others. A rank that is named
// anew is sent the cell's row by the first of those that named it.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "engine/engine.hpp"
#include "engine/ranks/tissue_part.hpp"

namespace kiln {

// How often ranks agree on who shares what, and how long that takes, in rounds.
struct Pace {
  int between = 1, lag = 0;
};
Pace pace_of(const BrickGrid& grid, int reach, bool at_leisure);

class Sharing {
 public:
  // `holders`: by number of a cell, all ranks to which it is near, in rising order; cells that are near to
  // one alone may be left out. Sites are read `reach` away from targets.
  Sharing(TissuePart& part, Exchange& exchange, int reach, const std::map<CellId, std::vector<int>>& holders,
          bool at_leisure = false);

  // To be called once in so many rounds.
  int rounds_between() const { return pace_.between; }
  void refresh(Traffic& traffic) {
    agree(find_changes(), traffic);
    complete({}, traffic);
  }

  // The same where the sites lie elsewhere, in steps: what was found there; then, at leisure, who is to share
  // what; and lag() rounds after it was found that comes into effect. Then the rows of cells that others ask
  // for have to be brought.
  int lag() const { return pace_.lag; }
  struct Change {
    CellId own;
    bool owns;      // the rank has sites of the cell
    uint32_t near;  // to whom these are near, as bits of neighbours()
  };
  using BringRows = std::function<void(const std::vector<CellId>&)>;
  void agree(const std::vector<Change>& found, Traffic& traffic);
  void complete(const BringRows& bring, Traffic& traffic);
  struct Neighbour {
    int rank;
    std::vector<Box> zones;  // sites of the brick, as stored, that are near to the neighbour's
  };
  const std::vector<Neighbour>& neighbours() const { return neighbours_; }
  // By own id, what the last refresh did: cells that others share from now on, and no longer; that came; that
  // left (their rows may be those of cells that came).
  const std::vector<CellId>& changed() const { return changed_; }
  const std::vector<CellId>& came() const { return came_; }
  const std::vector<CellId>& left() const { return left_; }
  // How many cells are shared with each of the partners.
  std::vector<int64_t> shared_with() const;

  // Ranks that messages go to and come from; a refresh may add to them.
  const std::vector<int>& partners() const { return partners_; }
  // Those of them, as indices, that share a cell of the rank.
  const std::vector<int>& sharers_of(CellId own) const { return sets_[set_of_[own]]; }
  bool is_shared(CellId own) const { return set_of_[own] != 0; }
  int64_t shared_cells() const;
  // Sets of partners have numbers, which they keep; the first set is empty.
  uint32_t set_of(CellId own) const { return set_of_[own]; }
  const std::vector<std::vector<int>>& sets() const { return sets_; }
  // True on one of the ranks that know a cell.
  bool keeps(CellId own) const;

  // A cell that its mother has just left sites to: all who share the one know the other.
  void add_daughter(CellId mother, CellId own);
  // A cell that has just got a frozen type: its sites stay where they are, and so does what is known of it.
  void freeze(CellId own);

 private:
  // An owner of a cell and, as bits of its neighbours, to whom its sites are near.
  struct Owner {
    int32_t rank;
    uint32_t near;
    bool operator==(const Owner&) const = default;
  };
  using Owners = std::vector<Owner>;  // by rising rank

  void swap(std::span<const int> partners, std::vector<Message>& out, std::vector<Message>& in,
            Traffic& traffic);
  std::vector<Change> find_changes();
  void mark_near_cells();
  static Owners::const_iterator owner(const Owners& owners, int rank) {
    return std::find_if(owners.begin(), owners.end(), [&](const Owner& o) { return o.rank == rank; });
  }
  const std::vector<int>& neighbours_of(int rank);
  const std::vector<int>& sharers_by(std::span<const Owner> owners);
  bool names(const Owner& owner, int rank);
  std::size_t partner_of(int rank);
  bool is_first(CellId own) const;
  void make_room();
  void share(CellId own, const std::vector<int>& ranks);
  void put_into(CellId own, uint32_t set);
  void tell_changes(const std::vector<Change>& found, std::vector<Message>& out);
  void hear_changes(const std::vector<Message>& in);
  void settle();
  void welcome(const std::vector<Message>& in);

  TissuePart& part_;
  Exchange& exchange_;
  Pace pace_;
  int near_enough_;
  std::vector<Neighbour> neighbours_;
  std::map<int, std::vector<int>> neighbours_of_;  // by rank; those that were asked for
  std::vector<uint32_t> near_;                     // by own id: bits of neighbours_
  std::vector<Owners> owners_;                     // by own id; none where no other rank shares the cell
  std::vector<bool> is_changed_;                   // by own id, during a refresh
  std::vector<CellId> changed_, came_, left_;
  // Of a refresh that is not complete: cells whose rows are to be sent, and to whom; and who takes part.
  struct Newcomer {
    CellId own;
    std::size_t partner;
  };
  std::vector<Newcomer> newcomers_;
  std::vector<int> taking_part_;
  std::vector<int> sharers_, before_, others_;  // room to work in
  std::vector<int> partners_;                   // ranks, in the order in which they came
  std::vector<std::vector<int>> sets_{{}};      // of partners; the first is empty
  std::map<std::vector<int>, uint32_t> set_numbers_{{{}, 0}};
  std::vector<int64_t> cells_of_set_{0};  // but not of the first
  std::vector<uint32_t> set_of_;          // by own id
  std::vector<bool> keeps_frozen_;        // by own id
};

// How far from a brick cells are shared with it.
int shared_within(const BrickGrid& grid, int reach, bool at_leisure = false);
// Sites along each axis that a brick has to have at least, where it is cut.
int thinnest_brick(int reach);
// How the lattice of a model is cut, as a text says or, where that is "", by the least surface; for so many
// ranks, 0: as many as the text says. Throws UserError where bricks would be too thin, or other ones.
Vec3i bricks_for(const Model& model, const std::string& text, int ranks);
// By cell: the ranks to which it is near, for a tissue that lies in memory as a whole; and who keeps cells
// that have no site.
std::vector<std::vector<CellId>> cells_by_rank(const State& whole, const BrickGrid& grid, int reach,
                                               bool at_leisure = false);
std::map<CellId, std::vector<int>> holders_of(const std::vector<std::vector<CellId>>& cells_by_rank);

}  // namespace kiln
