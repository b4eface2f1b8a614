// The kernels of the `tiles` schedule, specialised for a model and compiled.
#pragma once

#include <string>

#include "core/state.hpp"
#include "engine/cuda/driver/nvrtc.hpp"
#include "engine/cuda/model_source.hpp"
#include "engine/cuda/state/site_layout.hpp"
#include "engine/cuda/tiles/work_split.hpp"
#include "engine/schedule/tiles.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// How the work is spread over a device. It does not shape the result.
struct KernelShape {
  int crew = 1;          // blocks that play a simulation together
  bool members = false;  // many crews play many simulations; else one is all there is
  int blocks_per_multiprocessor = 1;
  int warps_per_block = 24;
  int batches = 1;          // of 32 tiles in a step: 1, 2 or 4
  int steps_per_unit = 1;   // see WorkSplit
  bool share_rest = false;  // the last steps of a round go to the fastest warps
  bool skips_dead = false;  // steps without live attempts are skipped
  unsigned shared_bytes = 0;
};

// CUDA C++ for compile(). `history` is State::history_length.
std::string tiles_source(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape, Numbers numbers, const StoredSites& stored);

struct TilesKernels {
  Compiled compiled;
  KernelShape shape;
};

// Compiles for a device with so many multiprocessors and so much shared memory per block at most; with as
// many warps as that and the registers allow.
TilesKernels compile_tiles(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, Numbers numbers, int architecture, int multiprocessors,
                           int shared_per_block, bool skips_dead, const StoredSites& stored);

// The same for `members` simulations at once.
TilesKernels compile_tiles_for_members(int64_t members, const Physics& physics,
                                       const tiles::Settings& settings, const SiteLayout& layout, int history,
                                       Numbers numbers, int architecture, int multiprocessors,
                                       int shared_per_block, bool skips_dead);

// The kernel that marks what is live around sites that events have changed, of an engine that plays such
// kernels.
Compiled compile_mark_live(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                           int history, const KernelShape& shape, Numbers numbers, int architecture);

// Whether so much of a lattice is likely to be dead that passing over it pays.
bool is_sparse(const State& state, const Physics& physics);

// How the steps of a round are split over the warps of a crew.
WorkSplit work_split_of(const Lattice& lattice, const tiles::Settings& settings, const KernelShape& shape,
                        const StoredSites& stored);
// How many attempts a warp has to have room for in its list: in the worst case all that it tries in a round.
int64_t most_open(const WorkSplit& split, const KernelShape& shape);

}  // namespace kiln::cuda
