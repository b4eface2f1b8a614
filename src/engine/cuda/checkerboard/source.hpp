// The kernels of the `checkerboard` schedule, specialised for a model.
#pragma once

#include <string>

#include "engine/cuda/model_source.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/engine.hpp"
#include "model/model.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// How the kernel is cut. It changes the speed, not the rules.
struct BoardShape {
  int threads = 128;    // per thread block
  bool cached = false;  // active regions are kept in shared memory
};

BoardShape board_shape(const CheckerboardSettings& settings, int dimension, const SiteLayout& layout,
                       const BoardKernels& kernels = {});

// Steps that a launch may play. Locks hold until all threads have met, which is at the end of a launch.
uint64_t most_steps_per_launch(const CheckerboardSettings& settings);

// CUDA C++ for compile(). `history` is State::history_length.
std::string checkerboard_source(const Physics& physics, const CheckerboardSettings& settings,
                                const SiteLayout& layout, int history, const BoardKernels& kernels,
                                Numbers numbers);

}  // namespace kiln::cuda
