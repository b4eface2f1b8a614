// The kernels of the `checkerboard` schedule, specialised for a model.
#pragma once

#include <string>

#include "engine/cuda/model_source.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/engine.hpp"
#include "engine/schedule/checkerboard_plan.hpp"
#include "model/model.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// How the kernel is cut. It changes the speed, not the rules.
struct BoardShape {
  int threads = 128;    // per thread block
  bool cached = false;  // active regions are kept in shared memory
};

BoardShape board_shape(const Physics& physics, const CheckerboardSettings& settings, const SiteLayout& layout,
                       const BoardKernels& kernels = {});

// Steps that a launch plays from this one on. Locks hold until all threads have met, which is at the end of a
// launch.
uint64_t steps_per_launch(const checkerboard::Plan& plan, uint64_t step);

// Whether attempts may see each other's targets; then perimeters are counted anew after every MCS.
bool attempts_may_meet(const Physics& physics, const CheckerboardSettings& settings);

// CUDA C++ for compile(). `history` is State::history_length.
std::string checkerboard_source(const Physics& physics, const CheckerboardSettings& settings,
                                const SiteLayout& layout, int history, const BoardKernels& kernels,
                                Numbers numbers);

}  // namespace kiln::cuda
