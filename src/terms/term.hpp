// What every energy term declares, for all that folds over the list of terms (terms/list.hpp): the model
// reader, the sum of energies, kernel constants, the plan of a schedule, measures and tests.
//
// A term is a struct with
//   kName, kSummary            as in model files, and what it does in words
//   Params, kParameters        one float per parameter; its row of the table
//   Slot, kParams              Params as a named member of TypePhysics
//   Use, kUse                  a named flag of TermsInUse
//   kScope                     what it may read, and so when it is judged; see TermScope
//   acts(params)               whether it does anything for a type: changes energies, or leaves marks
// and, by scope,
//   local    add<Dim>(physics, world, copy, dh)   adds its part; false where a hard rule forbids the copy
//   cells    delta(params, cell, change)          of one of the two cells; see CellView and SiteChange
//            energy(params, cell)
//            weight_of_a_site(type, shape)        energy that one more site costs: the plan asks for it
//   bounded  lowest(params), accepts(params, world, dh, threshold)
// Optional: kKeepsState, kReach, kReads, kNeedsPlace, kOwnLambdas, drive(params).
#pragma once

#include "core/own_lambdas.hpp"
#include "terms/parameter.hpp"

namespace kiln {

// The locality contract (docs/parallel.md): what an attempt may read.
enum class TermScope {
  local,    // sites around the target, and what is frozen for the MCS
  cells,    // the live sums of its two cells, too: judged again when other copies change them
  bounded,  // dear, with a lowest value known in advance: judged last, and only where it can decide
};

// Columns of the cells' table that not every model has (core/cells.hpp). A term names those it reads; the
// first state gets them, and engines keep them.
enum class OptionalColumn : uint32_t { none = 0, direction = 1, moments = 2 };

// What a site more (+1) or less (-1) changes for a cell.
struct SiteChange {
  int sign;
  int32_t perimeter;
  Vec3i place;  // of the site; only where a term in use kNeedsPlace
};

// What a term's weight depends on beside its parameters.
struct SurroundingsShape {
  int dimension;
  int perimeter_neighbours;
};

// Defaults for the optional members.
struct TermDefaults {
  static constexpr bool kKeepsState = false;  // in use in one phase, it must be kept up in all
  static constexpr int kReach = 1;            // how far from the target it reads sites
  static constexpr OptionalColumn kReads = OptionalColumn::none;
  static constexpr bool kNeedsPlace = false;  // of the target: engines that keep attempts work it out anew
  // Rules may set params.lambda of every cell: where it lies.
  static constexpr float OwnLambdas::*kOwnLambdas = nullptr;
  // Energy that drives copies whatever the sizes of cells, as the temperature does.
  template <class Params>
  static constexpr double drive(const Params&) {
    return 0;
  }
};

// The parameters of a term that has kOwnLambdas, for one cell: its type's, with a lambda of its own where
// these say so.
template <class Term, class Physics, class World>
KILN_HOT typename Term::Params params_of(const Physics& physics, const World& world, int type, CellId cell) {
  typename Term::Params params = physics.types[type].*Term::kParams;
  if (physics.has_own_lambdas() && params.lambda == kOwnLambda)
    params.lambda = world.own_lambdas(cell).*Term::kOwnLambdas;
  return params;
}

template <class... All>
struct TermList {
  // Calls visit(Term{}) for every term, in order.
  template <class Visit>
  KILN_HOT static constexpr void each(const Visit& visit) {
    (visit(All{}), ...);
  }
  // Whether visit(Term{}) is true for all terms, in order, up to the first that is false.
  template <class Visit>
  KILN_HOT static constexpr bool all(const Visit& visit) {
    return (visit(All{}) && ...);
  }
  template <class Visit>
  KILN_HOT static constexpr bool any(const Visit& visit) {
    return (visit(All{}) || ...);
  }
  static constexpr int count(TermScope scope) { return ((All::kScope == scope ? 1 : 0) + ...); }

  struct Parameters : All::Slot... {};
  struct Flags : All::Use... {};
};

}  // namespace kiln
