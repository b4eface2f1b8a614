// A model's terms, sizes and constants as CUDA C++: what the kernels of a schedule are compiled behind.
#pragma once

#include <string>

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/schedule/tiles.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// Where kernels find the numbers that may change in a run: temperature, lambdas, targets, J.
enum class Numbers {
  folded,     // in their source: the fastest kernels, compiled anew for other numbers
  in_memory,  // in constant memory: the same source whatever the numbers are
  all_terms,  // likewise; and kernels have all terms, and read from there which of them are in use
};

// Defines in kiln::model: kDim, kSize, kPeriodic, kTypes, kIdBits, kMaxAct, kActLogs, kHistory, the type Word
// and physics(). Fields that are stored are in kFields, which the host fills (see stored_fields).
// `history` is State::history_length.
std::string model_prologue(const Physics& physics, const SiteLayout& layout, int history, Numbers numbers,
                           const StoredSites& stored);
// The same where the whole lattice is stored.
inline std::string model_prologue(const Physics& physics, const SiteLayout& layout, int history,
                                  Numbers numbers) {
  return model_prologue(physics, layout, history, numbers, all_sites(physics.lattice));
}

// To kernels behind such a prologue.
void give_numbers(const Module& module, const Physics& physics, Numbers numbers,
                  float hopeless = tiles::Settings::kNever);

// Whether a term in use reads cells' second moments.
bool reads_moments(const TermsInUse& uses);

// How many substances kSubstanceValues has, which the host fills; 0 where it is not there, because no term
// reads any.
int used_substances(const Physics& physics);

// How many fields kFields has; 0 where it is not there, because no field in use is stored.
int stored_fields(const Physics& physics);

}  // namespace kiln::cuda
