// The energy terms that a cell type can have, by name, with where their numbers lie in TypePhysics. A new
// term is one row here, and a member of TypePhysics and TermsInUse.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/file/schema.hpp"
#include "terms/physics.hpp"

namespace kiln {

struct Term {
  const char* name;
  const char* summary;
  std::span<const Parameter> parameters;  // in the order of the floats of the term's Params
  std::size_t offset;                     // of the term's Params in TypePhysics
  bool TermsInUse::*used;
  bool (*acts)(const TypePhysics&);  // does something: changes energies, or leaves marks
  bool keeps_state;                  // one that acts in any phase must be kept up in all

  float get(const TypePhysics& physics, std::size_t parameter) const;
  void set(TypePhysics& physics, std::size_t parameter, float value) const;
  bool given(const TypePhysics& physics) const;  // differs from a type without it
};

std::span<const Term> all_terms();

// The parameters of a term as keys of its table.
std::span<const Key> term_keys(const Term& term);

// Parameters that the state remembers (a history of dt centroids, sites aged from Max): the same in all
// phases.
bool may_change_between_phases(const Term& term, const Parameter& parameter);

}  // namespace kiln
