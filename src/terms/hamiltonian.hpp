// The sum of all terms, in one fixed order, for one copy attempt. Every engine judges its attempts here.
//
// `World` is how an engine shows its memory:
//   TypeId type(CellId)                       int32_t volume(CellId), perimeter(CellId)
//   Vec3f direction(CellId)                   p of persistence
//   const Patch<Dim>& around_target()         neighbours of the target
//   float mean_act_at_source(), mean_act_at_target()   act::geometric_mean of winner and loser
//   const FarPatch& far_around_target(const Neighbourhood&)   where a model asks for another neighbourhood
#pragma once

#include "core/random.hpp"
#include "terms/copy.hpp"
#include "terms/physics.hpp"

namespace kiln {

// How many neighbours the target has for the perimeter, and how many of them are the two cells'.
struct PerimeterCount {
  int present, winners, losers;
};

template <class Neighbours>
KILN_HD inline PerimeterCount count_for_perimeter(const Neighbours& n, const Copy& copy) {
  return {count_present(n), count_same(n, copy.winner), count_same(n, copy.loser)};
}

template <int Dim, class World>
KILN_HD inline PerimeterCount count_for_perimeter(const Physics& physics, World& world, const Copy& copy) {
  if (physics.perimeter_is_moore) return count_for_perimeter(world.around_target(), copy);
  return count_for_perimeter(world.far_around_target(*physics.perimeter_neighbours), copy);
}

template <class World>
KILN_HD inline float adhesion_delta(const Physics& physics, World& world, const Copy& copy) {
  const auto type_of = [&world](CellId id) { return world.type(id); };
  if (physics.adhesion_is_moore)
    return adhesion::delta(physics.adhesion, world.around_target(), type_of, copy.winner, copy.winner_type,
                           copy.loser, copy.loser_type);
  return adhesion::delta(physics.adhesion, world.far_around_target(*physics.adhesion_neighbours), type_of,
                         copy.winner, copy.winner_type, copy.loser, copy.loser_type);
}

template <class World>
KILN_HD inline float volume_delta(const Physics& physics, World& world, const Copy& copy) {
  float sum = 0;
  if (copy.winner != kMedium)
    sum += volume::delta(physics.types[copy.winner_type].volume, world.volume(copy.winner), +1);
  if (copy.loser != kMedium)
    sum += volume::delta(physics.types[copy.loser_type].volume, world.volume(copy.loser), -1);
  return sum;
}

template <int Dim, class World>
KILN_HD inline float perimeter_delta(const Physics& physics, World& world, const Copy& copy) {
  const PerimeterCount n = count_for_perimeter<Dim>(physics, world, copy);
  float sum = 0;
  if (copy.winner != kMedium)
    sum += perimeter::delta(physics.types[copy.winner_type].perimeter, world.perimeter(copy.winner),
                            perimeter::change_on_gain(n.present, n.winners));
  if (copy.loser != kMedium)
    sum += perimeter::delta(physics.types[copy.loser_type].perimeter, world.perimeter(copy.loser),
                            perimeter::change_on_loss(n.present, n.losers));
  return sum;
}

// dH of the copy; false where a hard rule forbids it.
template <int Dim, class World>
KILN_HD inline bool judge(const Physics& physics, World& world, const Copy& copy, float& dh) {
  const TypePhysics& steering = physics.types[copy.steering_type()];
  dh = adhesion_delta(physics, world, copy);
  if (physics.uses.volume) dh += volume_delta(physics, world, copy);
  if (physics.uses.perimeter) dh += perimeter_delta<Dim>(physics, world, copy);
  if (physics.uses.chemotaxis && steering.chemotaxis.lambda != 0) {
    const VectorField& field = physics.fields[int(steering.chemotaxis.field)];
    dh += chemotaxis::delta(steering.chemotaxis, copy, field.at(physics.lattice, copy.source));
  }
  if (physics.uses.persistence && copy.winner != kMedium)
    dh += persistence::delta(steering.persistence, copy, world.direction(copy.winner));
  if (physics.uses.act && steering.act.lambda != 0)
    dh += act::delta(steering.act, world.mean_act_at_source(), world.mean_act_at_target());
  if (physics.uses.connectivity) {
    const connectivity::Params& rule = physics.types[copy.loser_type].connectivity;
    if ((rule.penalty != 0 || rule.hard != 0) && connectivity::splits<Dim>(world.around_target(), copy.loser)) {
      if (rule.hard != 0) return false;
      dh += rule.penalty;
    }
  }
  return true;
}

// A copy happens where dH <= threshold. With u uniform in (0, 1] and threshold -T ln u this is Metropolis' rule:
// always if dH <= 0, else with probability exp(-dH / T). The threshold does not depend on the state.
KILN_HD inline float acceptance_threshold(float temperature, uint32_t random_bits) {
  return temperature * (-0.69314718055994531f * log2_of(unit_float(random_bits)));
}

}  // namespace kiln
