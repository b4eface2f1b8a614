// Vector fields that a model reads from files, in device memory.
#pragma once

#include <map>

#include "engine/cuda/driver/driver.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

class FieldValues {
 public:
  // Tells a module that was compiled for this physics where they lie.
  void give(const Device& device, const Module& module, const Physics& physics);

 private:
  const float* values_of(const Device& device, const VectorField& field, Site sites);

  std::map<const float*, Buffer<float>> values_;  // by where they lie on the host
};

}  // namespace kiln::cuda
