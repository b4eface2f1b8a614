// What a brick tells the others, and hears of them, while it is played: claims on cells that are shared,
// copies that change shared cells or sites of a halo, and sums that are counted on several bricks.
#pragma once

#include <atomic>

#include "engine/engine.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/placed_physics.hpp"
#include "engine/ranks/sharing.hpp"

namespace kiln {

class BrickPart {
 public:
  static constexpr bool kCut = true;

  // A copy that another rank made.
  struct Heard {
    Vec3i target;  // as stored here, where it is
    bool is_stored;
    CellId winner, loser;  // kMedium also where a cell is not known here
    int16_t winner_perimeter, loser_perimeter;
  };

  BrickPart(TissuePart& tissue, Sharing& sharing, Exchange& exchange, int members);

  template <class Physics>
  PlacedPhysics<Physics> placed(const Physics& physics) const {
    return {physics, tissue_.brick.origin};
  }

  int rounds_between_refreshes() const { return sharing_.rounds_between(); }
  void refresh();

  // By a member of the team that plays the brick.
  template <class Open>
  void tell(std::size_t member, const Open& copy) {
    count_here(copy.winner, +1);
    count_here(copy.loser, -1);
    if (sharing_.is_shared(copy.winner) || sharing_.is_shared(copy.loser))
      send_copy(member, copy.target, copy.winner, copy.loser, copy.winner_perimeter, copy.loser_perimeter);
  }
  void tell_claim(std::size_t member, CellId cell, uint32_t priority);

  void swap_copies();
  template <class Visit>
  void for_each_copy(const Visit& visit) const {
    for (std::size_t i = 0; i < heard_.size(); ++i) visit(i, heard_[i]);
  }
  void swap_claims();
  // A member's share of them.
  template <class Visit>
  void for_each_claim(std::size_t member, std::size_t members, const Visit& visit) const {
    for (std::size_t i = member; i < claims_.size(); i += members)
      visit(claims_[i].cell, claims_[i].priority);
  }
  void unite_sums(const BetweenMcs::Moved& moved);
  bool any(bool here) { return exchange_.any(here); }
  const Traffic& traffic() const { return traffic_; }
  Traffic& traffic() { return traffic_; }

 private:
  struct Claim {
    CellId cell;
    uint32_t priority;
  };

  void count_here(CellId cell, int change) {
    if (cell != kMedium)
      std::atomic_ref<int32_t>(tissue_.here[cell]).fetch_add(change, std::memory_order_relaxed);
  }
  void send_copy(std::size_t member, const Vec3i& target, CellId winner, CellId loser,
                 int16_t winner_perimeter, int16_t loser_perimeter);
  void swap(int64_t Traffic::*kind);

  TissuePart& tissue_;
  Sharing& sharing_;
  Exchange& exchange_;
  std::vector<std::vector<Message>> told_;  // by member and partner
  std::vector<Message> out_, in_;           // by partner
  std::vector<Heard> heard_;
  std::vector<Claim> claims_;
  Traffic traffic_;
};

}  // namespace kiln
