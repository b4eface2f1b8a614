// The sum of all terms, in one fixed order, for one copy attempt. Every engine judges its attempts here.
//
// `World` is how an engine shows its memory:
//   TypeId type(CellId)                       int32_t volume(CellId), perimeter(CellId)
//   Vec3f direction(CellId)                   p of persistence
//   const Patch<Dim>& around_target()         Moore neighbours of the target
//   const Tally& tally()                      of these
//   float mean_act_at_source(), mean_act_at_target()   act::geometric_mean of winner and loser
//   const FarPatch& far_around_target(const Neighbourhood&)   where a model asks for another neighbourhood
#pragma once

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

template <class World>
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

// Volume and perimeter need only the sizes of the two cells: anything with volume(CellId) and
// perimeter(CellId) will do.
template <class Sizes>
KILN_HOT float volume_delta(const Physics& physics, const Sizes& sizes, const Copy& copy) {
  float sum = 0;
  if (copy.winner != kMedium)
    sum += volume::delta(physics.types[copy.winner_type].volume, sizes.volume(copy.winner), +1);
  if (copy.loser != kMedium)
    sum += volume::delta(physics.types[copy.loser_type].volume, sizes.volume(copy.loser), -1);
  return sum;
}

// How a copy changes the perimeters of its two cells.
struct PerimeterChange {
  int32_t winner, loser;
};

template <class World>
KILN_HOT PerimeterChange perimeter_change(const Physics& physics, World& world, const Copy& copy) {
  const Tally n = physics.perimeter_is_moore ? world.tally()
                                             : tally(world.far_around_target(*physics.perimeter_neighbours),
                                                     copy.winner, copy.loser);
  return {perimeter::change_on_gain(n.present, n.winners), perimeter::change_on_loss(n.present, n.losers)};
}

template <class Sizes>
KILN_HOT float perimeter_delta(const Physics& physics, const Sizes& sizes, const Copy& copy,
                               const PerimeterChange& change) {
  float sum = 0;
  if (copy.winner != kMedium)
    sum += perimeter::delta(physics.types[copy.winner_type].perimeter, sizes.perimeter(copy.winner),
                            change.winner);
  if (copy.loser != kMedium)
    sum +=
        perimeter::delta(physics.types[copy.loser_type].perimeter, sizes.perimeter(copy.loser), change.loser);
  return sum;
}

// What depends on the two cells as wholes. It changes whenever either of them gains or loses a site anywhere.
template <class Sizes>
KILN_HOT float sizes_delta(const Physics& physics, const Sizes& sizes, const Copy& copy,
                           const PerimeterChange& change) {
  float sum = 0;
  if (physics.uses.volume) sum += volume_delta(physics, sizes, copy);
  if (physics.uses.perimeter) sum += perimeter_delta(physics, sizes, copy, change);
  return sum;
}

// What depends on the surroundings of the target alone; Act is apart. False where a hard rule forbids the
// copy.
template <int Dim, class World>
KILN_HOT bool surroundings_delta(const Physics& physics, World& world, const Copy& copy, float& dh) {
  const TypePhysics& steering = physics.types[copy.steering_type()];
  dh = adhesion_delta(physics, world, copy);
  if (physics.uses.chemotaxis && steering.chemotaxis.lambda != 0) {
    const VectorField& field = physics.fields[int(steering.chemotaxis.field)];
    dh += chemotaxis::delta(steering.chemotaxis, copy, field.at(physics.lattice, copy.source));
  }
  if (physics.uses.persistence && copy.winner != kMedium)
    dh += persistence::delta(steering.persistence, copy, world.direction(copy.winner));
  if (physics.uses.connectivity) {
    const connectivity::Params& rule = physics.types[copy.loser_type].connectivity;
    if ((rule.penalty != 0 || rule.hard != 0) &&
        connectivity::splits<Dim>(world.around_target(), copy.loser)) {
      if (rule.hard != 0) return false;
      dh += rule.penalty;
    }
  }
  return true;
}

// Whether dh and Act together stay below the threshold. Act comes last because it costs most: a mean is left
// out where even its most favourable value could not save the copy. (Rounding is monotone, so leaving it out
// never changes the verdict.)
template <class World>
KILN_HOT bool accepts_with_act(const Physics& physics, World& world, const Copy& copy, float dh,
                               float threshold) {
  const act::Params& p = physics.types[copy.steering_type()].act;
  if (!physics.uses.act || p.lambda == 0) return dh <= threshold;
  if (dh + act::delta(p, act::largest_mean(p), 0.0f) > threshold) return false;
  const float at_source = world.mean_act_at_source();
  if (dh + act::delta(p, at_source, 0.0f) > threshold) return false;
  return dh + act::delta(p, at_source, world.mean_act_at_target()) <= threshold;
}

// The lowest dH that Act can make of it; the means need not be known.
KILN_HOT float lowest_with_act(const Physics& physics, const Copy& copy, float dh) {
  const act::Params& p = physics.types[copy.steering_type()].act;
  return physics.uses.act && p.lambda != 0 ? dh + act::delta(p, act::largest_mean(p), 0.0f) : dh;
}

// True where the copy happens: no hard rule forbids it and dH <= threshold.
template <int Dim, class World>
KILN_HOT bool accepts(const Physics& physics, World& world, const Copy& copy, float threshold) {
  float dh;
  if (!surroundings_delta<Dim>(physics, world, copy, dh)) return false;
  dh += sizes_delta(physics, world, copy, perimeter_change(physics, world, copy));
  return accepts_with_act(physics, world, copy, dh, threshold);
}

// A copy happens where dH <= threshold. With u uniform in (0, 1] and threshold -T ln u this is Metropolis'
// rule: always if dH <= 0, else with probability exp(-dH / T). The threshold does not depend on the state.
KILN_HOT float acceptance_threshold(float temperature, uint32_t random_bits) {
  return temperature * (-0.69314718055994531f * log2_of(unit_float(random_bits)));
}

}  // namespace kiln
