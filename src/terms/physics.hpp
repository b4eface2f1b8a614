// All parameters of the physics, as every engine sees them: plain views into memory that the model owns (or
// that was copied to a device).
#pragma once

#include "core/concentration.hpp"
#include "core/vector_field.hpp"
#include "terms/adhesion.hpp"
#include "terms/frozen.hpp"
#include "terms/list.hpp"

namespace kiln {

// The parameters of all terms, each a member with the term's name, for one type.
struct TypePhysics : Terms::Parameters {
  bool frozen = false;
};

// Whether its cells have targets of their own.
inline bool has_own_targets(const TypePhysics& type) {
  return type.volume.target == kOwnTarget || type.perimeter.target == kOwnTarget;
}

inline OwnLambdas declared_lambdas(const TypePhysics& type) {
  OwnLambdas lambdas;
  Terms::each([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kOwnLambdas != nullptr) lambdas.*Term::kOwnLambdas = (type.*Term::kParams).lambda;
  });
  return lambdas;
}
inline bool has_own_lambdas(const TypePhysics& type) {
  return Terms::any([&](auto term) {
    using Term = decltype(term);
    if constexpr (Term::kOwnLambdas != nullptr) return (type.*Term::kParams).lambda == kOwnLambda;
    return false;
  });
}

// The parameters of all types. Where all cells that can change are alike (a compiler that specialises for a
// model says so), those of one type serve for all, and need no looking up.
struct TypeTable {
  const TypePhysics* first = nullptr;

  KILN_HD const TypePhysics& operator[](int type) const {
#ifdef KILN_ONLY_TYPE
    return first[type * 0 + KILN_ONLY_TYPE];
#else
    return first[type];
#endif
  }
};

// Which terms any type uses, each a member with the term's name. The engines leave out the rest.
struct TermsInUse : Terms::Flags {
  bool frozen = false;
  bool targets = false;      // cells of some type have targets of their own
  bool own_lambdas = false;  // and lambdas
  bool substances = false;   // a term reads concentrations

  // Whether a term in use has a property: any([](auto term) { return decltype(term)::kNeedsPlace; }).
  template <class Property>
  KILN_HOT constexpr bool any(const Property& property) const {
    return Terms::any([&](auto term) { return this->*decltype(term)::kUse && property(term); });
  }
};

struct Physics {
  static constexpr bool kMoments = true;  // cells may have them

  float temperature = 1;
  Lattice lattice;
  TermsInUse uses;
  TypeTable types;  // [adhesion.types]
  adhesion::Table adhesion;
  const Neighbourhood* adhesion_neighbours = nullptr;
  const Neighbourhood* perimeter_neighbours = nullptr;
  bool adhesion_is_moore = true, perimeter_is_moore = true;
  const VectorField* fields = nullptr;
  const int32_t* act_logs = nullptr;               // [largest Max + 1]
  const SubstanceView* substances = nullptr;       // of the state
  const float* const* substance_values = nullptr;  // of those that have none of their own

  template <class Term>
  KILN_HOT constexpr bool in_use() const {
    return uses.*Term::kUse;
  }
  KILN_HOT constexpr bool has_targets() const { return uses.targets; }
  KILN_HOT constexpr bool has_own_lambdas() const { return uses.own_lambdas; }
  KILN_HOT constexpr bool reads_substances() const { return uses.substances; }
  KILN_HOT Vec3f field_at(int field, const Vec3i& place) const { return fields[field].at(lattice, place); }
  // At a place that may lie a step beyond a periodic side.
  template <int Dim>
  KILN_HOT float concentration(int substance, Vec3i place) const {
    lattice.wrap(place);
    const SubstanceView& view = substances[substance];
    return concentration_at<Dim>(view, view.values != nullptr ? view.values : substance_values[substance],
                                 place);
  }
};

// How far from its target an attempt may read sites, whatever terms there are.
inline int longest_reach(const Neighbourhood& adhesion, const Neighbourhood& perimeter) {
  int reach = adhesion.reach > perimeter.reach ? adhesion.reach : perimeter.reach;
  Terms::each([&](auto term) { reach = decltype(term)::kReach > reach ? decltype(term)::kReach : reach; });
  return reach;
}

// Whether a term in use has a property.
template <class Physics, class Property>
KILN_HOT constexpr bool any_in_use(const Physics& physics, const Property& property) {
  return Terms::any([&](auto term) { return physics.template in_use<decltype(term)>() && property(term); });
}

}  // namespace kiln
