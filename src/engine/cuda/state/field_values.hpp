// Vector fields that a model reads from files, in device memory.
#pragma once

#include "engine/cuda/driver/driver.hpp"
#include "engine/cuda/state/kept_copies.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

class FieldValues {
 public:
  // Points a module that was compiled for this physics at them. Values that this physics does not use
  // are freed, so no kernel of another physics may be running or be launched again.
  void give(const Device& device, const Module& module, const Physics& physics);

 private:
  KeptCopies<Buffer<float>> values_;
};

}  // namespace kiln::cuda
