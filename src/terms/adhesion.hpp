// Adhesion. Each unordered pair of neighbouring sites that belong to different cells costs J(type, type'),
// medium included (Graner and Glazier 1992). A copy changes the pairs of the target site only:
//
//   dH = sum over neighbours n of t:  J(winner, n) [n != winner]  -  J(loser, n) [n != loser]
//
// J is symmetric and may be negative. It is kept as an integer multiple of a power of two chosen from the
// model's largest |J|, so that sums are exact and do not depend on their order.
#pragma once

#include "terms/neighbours.hpp"

namespace kiln::adhesion {

inline constexpr const char* kName = "adhesion";

// The largest |J| times the largest neighbourhood must stay below 2^31 units.
inline constexpr int kUnitBits = 23;
inline constexpr double kLargestJ = 1e6;

struct Table {
  const int32_t* j = nullptr;  // types x types, in units
  int types = 1;
  float unit = 1.0f;

  KILN_HD const int32_t* row(TypeId type) const { return j + int(type) * types; }
};

// The sum over all neighbours n of gained[type of n] - lost[type of n]. `type_of(id)` gives a type; it is
// asked only for cells that exist.
template <class Neighbours, class TypeOf>
KILN_HOT int32_t sum_over_types(const Neighbours& neighbours, const TypeOf& type_of, const int32_t* gained,
                                const int32_t* lost) {
  int32_t sum = 0;
  for (int lane = 0; lane < neighbours.lanes(); ++lane) {
    const CellId id = neighbours.id(lane);
    if (id == kNowhere) continue;
    const TypeId type = type_of(id);
    sum += gained[type] - lost[type];
  }
  return sum;
}

// `sum_over(gained, lost)` is sum_over_types of the target's neighbours.
template <class SumOver>
KILN_HOT float delta(const Table& table, const Tally& tally, TypeId winner_type, TypeId loser_type,
                     const SumOver& sum_over) {
  const int32_t* gained = table.row(winner_type);
  const int32_t* lost = table.row(loser_type);
  int32_t sum;             // first over all neighbours ...
  if (table.types == 2) {  // medium and one type: between two cells everything cancels, else one is medium
    const int medium = winner_type == 0 ? tally.winners : tally.losers;
    sum = medium * (gained[0] - lost[0]) + (tally.present - medium) * (gained[1] - lost[1]);
  } else {
    sum = sum_over(gained, lost);
  }
  sum -= tally.winners * gained[winner_type];  // ... then without the pairs that are no interface
  sum += tally.losers * lost[loser_type];
  return float(sum) * table.unit;
}

}  // namespace kiln::adhesion
