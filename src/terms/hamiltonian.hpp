// The sum of all terms, in one fixed order, for one copy attempt. Every engine judges its attempts here.
//
// `World` is how an engine shows its memory:
//   TypeId type(CellId)                       int32_t volume(CellId), perimeter(CellId)
//   anchor(CellId), sum(CellId), moments(CellId), targets(CellId)   see core/cells.hpp
//   Vec3f direction(CellId)                   p of persistence
//   own_lambdas(CellId)                       where rules set them
//   const Patch<Dim>& around_target()         Moore neighbours of the target
//   const Tally& tally()                      of these
//   Vec3i target_place()
//   float mean_act_at_source(), mean_act_at_target()   act::geometric_mean of winner and loser
//   const FarPatch& far_around_target(const Neighbourhood&)   where a model asks for another neighbourhood
// `Physics` is Physics, or one of which more is known when it is compiled (engine/host/narrow_physics.hpp).
#pragma once

#include "core/centroid.hpp"
#include "core/moments.hpp"
#include "core/random.hpp"
#include "terms/copy.hpp"
#include "terms/physics.hpp"

namespace kiln {

// Adhesion's sum over the types of the target's Moore neighbours. A world that knows a faster way has a
// better match of its own.
template <class World>
KILN_HOT int32_t sum_over_moore_types(World& world, const int32_t* gained, const int32_t* lost) {
  return adhesion::sum_over_types(
      world.around_target(), [&world](CellId id) { return world.type(id); }, gained, lost);
}

template <class Physics, class World>
KILN_HOT float adhesion_delta(const Physics& physics, World& world, const Copy& copy) {
  if (physics.adhesion_is_moore)
    return adhesion::delta(physics.adhesion, world.tally(), copy.winner_type, copy.loser_type,
                           [&world](const int32_t* gained, const int32_t* lost) {
                             return sum_over_moore_types(world, gained, lost);
                           });
  const FarPatch& far = world.far_around_target(*physics.adhesion_neighbours);
  return adhesion::delta(physics.adhesion, tally(far, copy.winner, copy.loser), copy.winner_type,
                         copy.loser_type, [&](const int32_t* gained, const int32_t* lost) {
                           return adhesion::sum_over_types(
                               far, [&world](CellId id) { return world.type(id); }, gained, lost);
                         });
}

// How a copy changes its two cells, beside the site itself.
struct CopyChange {
  int32_t winner_perimeter, loser_perimeter;
  Vec3i place;  // of the target; only where a term in use kNeedsPlace
};

template <class Physics, class World>
KILN_HOT CopyChange change_of(const Physics& physics, World& world, const Copy& copy) {
  const Tally n = physics.perimeter_is_moore ? world.tally()
                                             : tally(world.far_around_target(*physics.perimeter_neighbours),
                                                     copy.winner, copy.loser);
  CopyChange change{
      perimeter::change_on_gain(n.present, n.winners), perimeter::change_on_loss(n.present, n.losers), {}};
  if (any_in_use(physics, [](auto term) { return decltype(term)::kNeedsPlace; }))
    change.place = world.target_place();
  return change;
}

// One cell as terms of TermScope::cells see it. `Cells` is anything that knows the sums of the two cells by
// id: volume, perimeter, anchor, sum, moments, targets.
template <class Physics, class Cells>
class CellView {
 public:
  KILN_HOT CellView(const Physics& all, const Cells& sums, CellId cell)
      : physics_(all), cells_(sums), id_(cell) {}

  KILN_HOT int dimension() const { return physics_.lattice.dimension; }
  KILN_HOT int32_t volume() const { return cells_.volume(id_); }
  KILN_HOT int32_t perimeter() const { return cells_.perimeter(id_); }
  // The type's target, or the cell's own where the type says so.
  KILN_HOT float target_volume(float of_type) const {
    return has_own(of_type) ? cells_.targets(id_).volume : of_type;
  }
  KILN_HOT float target_perimeter(float of_type) const {
    return has_own(of_type) ? cells_.targets(id_).perimeter : of_type;
  }
  // Of the sites' offsets from the anchor, and of their products (core/moments.hpp).
  KILN_HOT Vec3<int64_t> sum() const { return cells_.sum(id_); }
  KILN_HOT Moments moments() const { return cells_.moments(id_); }
  KILN_HOT Vec3i offset_of(const Vec3i& place) const {
    return offset_from_anchor(physics_.lattice, cells_.anchor(id_), place);
  }

 private:
  KILN_HOT bool has_own(float target) const { return physics_.has_targets() && target == kOwnTarget; }

  const Physics& physics_;
  const Cells& cells_;
  CellId id_;
};

template <class Term, class Physics, class Cells>
KILN_HOT float delta_of_cells(const Physics& physics, const Cells& cells, const Copy& copy,
                              const CopyChange& change) {
  const auto of = [&](CellId cell, TypeId type, int sign, int32_t perimeter) {
    return Term::delta(physics.types[type].*Term::kParams, CellView(physics, cells, cell),
                       SiteChange{sign, perimeter, change.place});
  };
  float sum = 0;
  if (copy.winner != kMedium) sum += of(copy.winner, copy.winner_type, +1, change.winner_perimeter);
  if (copy.loser != kMedium) sum += of(copy.loser, copy.loser_type, -1, change.loser_perimeter);
  return sum;
}

// What depends on the two cells as wholes. It changes whenever either of them gains or loses a site anywhere.
template <class Physics, class Cells>
KILN_HOT float cells_delta(const Physics& physics, const Cells& cells, const Copy& copy,
                           const CopyChange& change) {
  float sum = 0;
  Terms::each([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kScope == TermScope::cells)
      if (physics.template in_use<Term>()) sum += delta_of_cells<Term>(physics, cells, copy, change);
  });
  return sum;
}

// What depends on the surroundings of the target alone. False where a hard rule forbids the copy.
template <int Dim, class Physics, class World>
KILN_HOT bool local_delta(const Physics& physics, World& world, const Copy& copy, float& dh) {
  dh = adhesion_delta(physics, world, copy);
  return Terms::all([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kScope == TermScope::local)
      return !physics.template in_use<Term>() || Term::template add<Dim>(physics, world, copy, dh);
    else
      return true;
  });
}

// Bounded terms come last. With a second one, their order would have to be decided.
static_assert(Terms::count(TermScope::bounded) <= 1);

// The lowest dH that bounded terms can make of it.
template <class Physics, class World>
KILN_HOT float lowest_delta(const Physics& physics, const World& world, const Copy& copy, float dh) {
  Terms::each([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kScope == TermScope::bounded)
      if (physics.template in_use<Term>())
        dh += Term::lowest(params_of<Term>(physics, world, copy.steering_type(), copy.steering_cell()));
  });
  return dh;
}

// Whether dh and what bounded terms add to it stay below the threshold.
template <class Physics, class World>
KILN_HOT bool accepts_with_bounded(const Physics& physics, World& world, const Copy& copy, float dh,
                                   float threshold) {
  bool decided = false;
  const bool accepted = Terms::all([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kScope == TermScope::bounded) {
      if (!physics.template in_use<Term>()) return true;
      decided = true;
      return Term::accepts(params_of<Term>(physics, world, copy.steering_type(), copy.steering_cell()), world,
                           dh, threshold);
    } else {
      return true;
    }
  });
  return decided ? accepted : dh <= threshold;
}

// True where the copy happens: no hard rule forbids it and dH <= threshold. `change` is then what it changes.
template <int Dim, class Physics, class World>
KILN_HOT bool accepts(const Physics& physics, World& world, const Copy& copy, float threshold,
                      CopyChange& change) {
  float dh;
  if (!local_delta<Dim>(physics, world, copy, dh)) return false;
  change = change_of(physics, world, copy);
  dh += cells_delta(physics, world, copy, change);
  return accepts_with_bounded(physics, world, copy, dh, threshold);
}

// A copy happens where dH <= threshold. With u uniform in (0, 1] and threshold -T ln u this is Metropolis'
// rule: always if dH <= 0, else with probability exp(-dH / T). The threshold does not depend on the state.
KILN_HOT float acceptance_threshold(float temperature, uint32_t random_bits) {
  return temperature * (-0.69314718055994531f * log2_of(unit_float(random_bits)));
}

}  // namespace kiln
