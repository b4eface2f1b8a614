// A model in words, for `kiln validate`: lattice units and physical ones side by side.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"

namespace kiln {

struct Term;

// Ends with a line for every note.
std::string explain(const Model& model);

// A parameter of a type's term with its unit, and what it amounts to: "target 300 sites = 300 µm², a disc
// ...".
std::string parameter_text(const Term& term, std::size_t parameter, const TypePhysics& type,
                           const Model& model);

// What is allowed but odd, a sentence each.
std::vector<std::string> model_notes(const Model& model, double available_memory = physical_memory());

// Pairs that make up the perimeter of a large, round cell of this volume; the least that it can have, nearly.
double round_perimeter(const Neighbourhood& neighbourhood, int dimension, double volume);

}  // namespace kiln
