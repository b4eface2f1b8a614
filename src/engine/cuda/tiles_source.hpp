// The kernels of the `tiles` schedule, specialised for a model and compiled.
#pragma once

#include <string>

#include "engine/cuda/nvrtc.hpp"
#include "engine/cuda/site_layout.hpp"
#include "engine/tiles.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// How the work is spread over a device. It does not shape the result.
struct KernelShape {
  int warps_per_block = 24;  // one block per multiprocessor
  int steps_per_unit = 4;    // a warp takes so many times 32 tiles at once: 1, 2 or 4
  int slots = 4;             // per warp, for the surroundings of 32 targets each
  unsigned shared_bytes = 0;
};

// CUDA C++ for compile(). `history` is State::history_length.
std::string tiles_source(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape);

struct TilesKernels {
  Compiled compiled;
  KernelShape shape;
};

// With as many warps as registers and shared memory allow.
TilesKernels compile_tiles(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, int steps_per_unit, int architecture, int shared_per_block);

}  // namespace kiln::cuda
