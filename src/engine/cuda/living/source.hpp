// CUDA C++ for a model's cells that live: its formulas, and what becomes of their results.
#pragma once

#include <string>

#include "engine/cuda/model_source.hpp"
#include "engine/living/programs.hpp"

namespace kiln::cuda {

// For compile(). `counted`: what formulas can read of more than their cell, in the order of
// LivingTables::counted.
std::string living_source(const Model& model, const LivingPrograms& programs, const Physics& physics,
                          const SiteLayout& layout, int history, const std::vector<formula::Input>& counted);

}  // namespace kiln::cuda
