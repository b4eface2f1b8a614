// The numbers of a model that may change in a run, where kernels read them from memory. Read by both
// compilers.
#pragma once

#include "terms/physics.hpp"

namespace kiln::cuda {

struct ModelNumbers {
  float temperature = 0;
  float adhesion_unit = 0;
  float hopeless = 0;  // see tiles::Settings
  TermsInUse uses;
  bool adhesion_is_moore = false, perimeter_is_moore = false;
};

}  // namespace kiln::cuda
