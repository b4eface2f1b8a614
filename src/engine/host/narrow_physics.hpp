// Engines on a processor are compiled for several sets of terms, so that a model does not pay for what it
// does not use: judging is one long function, and every term in it costs the others registers.
#pragma once

#include <type_traits>
#include <utility>
#include <vector>

#include "core/state.hpp"
#include "terms/physics.hpp"

// Inlines all that a function calls: with several forms of it in one file, GCC deems them too long. (With the
// checks of a sanitizer they are.)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KILN_FLAT
#else
#define KILN_FLAT [[gnu::flatten]]
#endif

namespace kiln {

// Physics without other terms than `Kept`, without what cells have of their own (targets, lambdas) and
// without substances.
template <class... Kept>
struct NarrowPhysics : Physics {
  static constexpr bool kMoments = false;

  template <class Term>
  static constexpr bool may_use() {
    return (std::is_same_v<Term, Kept> || ...);
  }
  template <class Term>
  KILN_HOT constexpr bool in_use() const {
    return may_use<Term>() && uses.*Term::kUse;
  }
  KILN_HOT static constexpr bool has_targets() { return false; }
  KILN_HOT static constexpr bool has_own_lambdas() { return false; }
  KILN_HOT static constexpr bool reads_substances() { return false; }

  static bool suits(const Physics& physics, const Cells& cells) {
    const bool others = physics.uses.any([](auto term) { return !may_use<decltype(term)>(); });
    return !others && !physics.uses.targets && !physics.uses.own_lambdas && !physics.uses.substances &&
           cells.moments.empty();
  }
};

using SizesAlone = NarrowPhysics<volume::Term, perimeter::Term>;
using CommonTerms = NarrowPhysics<volume::Term, perimeter::Term, chemotaxis::Term, persistence::Term,
                                  connectivity::Term, act::Term>;

// Calls work(physics) with the narrowest physics that suits, which reads the substances of a state: their
// memory must stay where it is.
template <class Work>
void with_narrow_physics(const Physics& physics, const State& state, const Work& work) {
  if (SizesAlone::suits(physics, state.cells)) return work(SizesAlone{physics});
  if (CommonTerms::suits(physics, state.cells)) return work(CommonTerms{physics});
  std::vector<SubstanceView> views;
  for (const Substance& substance : state.substances) views.push_back(substance.view());
  Physics with_views = physics;
  with_views.substances = views.data();
  work(std::as_const(with_views));
}

}  // namespace kiln
