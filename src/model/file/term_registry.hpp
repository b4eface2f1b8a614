// The list of terms (terms/list.hpp) as a table, for what handles them by name: model files, messages,
// documents.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "model/file/schema/schema.hpp"
#include "terms/physics.hpp"

namespace kiln {

struct Term {
  const char* name;
  const char* summary;
  std::span<const Parameter> parameters;  // in the order of the floats of the term's Params
  std::byte* (*params)(TypePhysics&);     // where these floats are
  bool& (*used)(TermsInUse&);
  bool (*acts)(const TypePhysics&);  // does something: changes energies, or leaves marks
  float OwnLambdas::*own_lambda;     // of cells, where rules may set it; else a null pointer
  bool keeps_state;                  // one that acts in any phase must be kept up in all

  float get(const TypePhysics& physics, std::size_t parameter) const;
  void set(TypePhysics& physics, std::size_t parameter, float value) const;
  bool given(const TypePhysics& physics) const;  // differs from a type without it
};

std::span<const Term> all_terms();

// The parameters of a term as keys of its table.
std::span<const Key> term_keys(const Term& term);

}  // namespace kiln
