// The kernels of the `tiles` schedule, specialised: the model's terms, sizes and constants as source code.
#pragma once

#include <string>

#include "engine/tiles.hpp"
#include "terms/physics.hpp"

namespace kiln::cuda {

// What one machine word per site holds: the cell's id in the low bits, a stamp of Act above.
struct SiteLayout {
  int word_bytes = 4;
  int id_bits = 32;
  int max_act = 0;  // the largest Act value; 0 without Act

  int stamp_bits() const { return 8 * word_bytes - id_bits; }
  // How long stale stamps may lie before they would be taken for fresh ones.
  int64_t mcs_between_refreshes() const { return (int64_t(1) << stamp_bits()) - max_act - 1; }
};

// Throws Failure where not even 64 bits will do.
SiteLayout site_layout(uint32_t cells, int max_act);

struct KernelShape {
  int warps_per_block = 8;
  int blocks_per_multiprocessor = 3;
};

// CUDA C++ for compile(): engine/cuda/tiles.cuh behind its prologue. `history` is State::history_length.
std::string tiles_source(const Physics& physics, const tiles::Settings& settings, const SiteLayout& layout,
                         int history, const KernelShape& shape);

bool has_stored_fields(const Physics& physics, int fields);

}  // namespace kiln::cuda
