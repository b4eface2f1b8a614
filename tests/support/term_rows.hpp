// Every term's part of dH for a table of copy attempts. Compiled twice, by the host's compiler and by NVRTC,
// which is given the text of this file: what the two make of it must agree bit by bit.
#pragma once

#include "terms/hamiltonian.hpp"

namespace kiln::test {

// One attempt, and what it sees of the lattice.
template <int Dim>
struct TermRow {
  static constexpr int kLanes = Patch<Dim>::kLanes;

  Copy copy;
  Vec3i target;
  uint32_t random_bits;
  Patch<Dim> around_target, around_source;
  FarPatch far_adhesion, far_perimeter;
  uint32_t act_at_target[kLanes], act_at_source[kLanes];
  ActValue own_act_at_target, own_act_at_source;
  Vec3d now, before;  // for persistence: centroids
};

struct TermTargets {
  float volume, perimeter;
};

// Tables of the cells.
struct TermCells {
  const TypeId* types;
  const int32_t* volumes;
  const int32_t* perimeters;
  const Vec3i* anchors;
  const Vec3<int64_t>* sums;
  const Moments* moments_of;
  const TermTargets* targets_of;
  const Vec3f* directions;
  const OwnLambdas* own_lambdas_of;
};

template <int Dim>
struct RowWorld {
  const Physics& physics;
  const TermCells& cells;
  const TermRow<Dim>& row;
  Tally counts;

  KILN_HD RowWorld(const Physics& p, const TermCells& c, const TermRow<Dim>& r)
      : physics(p), cells(c), row(r), counts(kiln::tally(r.around_target, r.copy.winner, r.copy.loser)) {}
  KILN_HD TypeId type(CellId c) const { return cells.types[c]; }
  KILN_HD int32_t volume(CellId c) const { return cells.volumes[c]; }
  KILN_HD int32_t perimeter(CellId c) const { return cells.perimeters[c]; }
  KILN_HD Vec3i anchor(CellId c) const { return cells.anchors[c]; }
  KILN_HD Vec3<int64_t> sum(CellId c) const { return cells.sums[c]; }
  KILN_HD Moments moments(CellId c) const { return cells.moments_of[c]; }
  KILN_HD TermTargets targets(CellId c) const { return cells.targets_of[c]; }
  KILN_HD Vec3f direction(CellId c) const { return cells.directions[c]; }
  KILN_HD OwnLambdas own_lambdas(CellId c) const { return cells.own_lambdas_of[c]; }
  KILN_HD Vec3i target_place() const { return row.target; }
  KILN_HD const Patch<Dim>& around_target() const { return row.around_target; }
  KILN_HD const Tally& tally() const { return counts; }
  KILN_HD const FarPatch& far_around_target(const Neighbourhood& n) const {
    return &n == physics.adhesion_neighbours ? row.far_adhesion : row.far_perimeter;
  }
  KILN_HD float mean_act_at_target() const {
    return act::geometric_mean(row.around_target, row.act_at_target, row.copy.loser, row.own_act_at_target,
                               physics.act_logs);
  }
  KILN_HD float mean_act_at_source() const {
    return act::geometric_mean(row.around_source, row.act_at_source, row.copy.winner, row.own_act_at_source,
                               physics.act_logs);
  }
};

// The results of one row, as bits.
struct TermBits {
  static constexpr int kTerms =
      Terms::count(TermScope::local) + Terms::count(TermScope::cells) + Terms::count(TermScope::bounded);

  uint32_t adhesion;
  uint32_t term[kTerms];  // in the order of Terms; of a bounded one, the lowest value
  uint32_t local, cells;  // sums
  uint32_t allowed;       // by all hard rules
  uint32_t winner_perimeter, loser_perimeter;
  uint32_t mean_act_at_source, mean_act_at_target, act;
  uint32_t threshold, accepted;
  uint32_t turned[3];  // persistence, between two MCS
};

template <int Dim>
KILN_HD inline TermBits bits_of_row(const Physics& physics, const TermCells& cells, const TermRow<Dim>& row) {
  using detail::bits_of;
  RowWorld<Dim> world(physics, cells, row);
  const Copy& copy = row.copy;
  const TypePhysics& steering = physics.types[copy.steering_type()];
  TermBits bits{};
  bits.adhesion = bits_of(adhesion_delta(physics, world, copy));
  CopyChange change = change_of(physics, world, copy);
  int k = 0;
  Terms::each([&](auto term) {
    using Term = decltype(term);
    float dh = 0;
    if constexpr (Term::kScope == TermScope::local)
      Term::template add<Dim>(physics, world, copy, dh);
    else if constexpr (Term::kScope == TermScope::cells)
      dh = delta_of_cells<Term>(physics, world, copy, change);
    else
      dh = Term::lowest(steering.*Term::kParams);
    bits.term[k++] = bits_of(dh);
  });
  float local = 0;
  bits.allowed = local_delta<Dim>(physics, world, copy, local) ? 1 : 0;
  bits.local = bits_of(local);
  bits.cells = bits_of(cells_delta(physics, world, copy, change));
  bits.winner_perimeter = uint32_t(change.winner_perimeter);
  bits.loser_perimeter = uint32_t(change.loser_perimeter);
  const float at_source = world.mean_act_at_source(), at_target = world.mean_act_at_target();
  bits.mean_act_at_source = bits_of(at_source);
  bits.mean_act_at_target = bits_of(at_target);
  bits.act = bits_of(steering.act.max != 0 ? act::delta(steering.act, at_source, at_target) : 0.0f);
  const float threshold = acceptance_threshold(physics.temperature, row.random_bits);
  bits.threshold = bits_of(threshold);
  bits.accepted = accepts<Dim>(physics, world, copy, threshold, change) ? 1 : 0;
  const Vec3f turned =
      persistence::turned(steering.persistence, cells.directions[copy.loser], row.now, row.before);
  for (int axis = 0; axis < 3; ++axis) bits.turned[axis] = bits_of(turned[axis]);
  return bits;
}

}  // namespace kiln::test
