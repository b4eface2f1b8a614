// A model's terms, sizes and constants as CUDA C++: what the kernels of a schedule are compiled behind.
#pragma once

#include <string>

#include "engine/cuda/state/site_layout.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// Defines in kiln::model: kDim, kSize, kPeriodic, kTypes, kIdBits, kMaxAct, kActLogs, kHistory, the type Word
// and physics(). Fields that are stored are in kFields, which the host fills (see stored_fields).
// `history` is State::history_length.
std::string model_prologue(const Physics& physics, const SiteLayout& layout, int history);

// The same, but kernels have all terms, and read from memory which of them are in use, and all parameters.
std::string generic_model_prologue(const Physics& physics, const SiteLayout& layout, int history);

// Whether a term in use reads cells' second moments.
bool reads_moments(const TermsInUse& uses);

// How many fields kFields has; 0 where it is not there, because no field in use is stored.
int stored_fields(const Physics& physics);

}  // namespace kiln::cuda
