// Kernels for what happens between two MCS, for one simulation. Their names are what DeviceTick and
// DeviceState look for.
#pragma once

#include "engine/cuda/between/between_mcs.cuh"
#include "engine/cuda/between/box_sums.cuh"
#include "engine/cuda/state/gather.cuh"

extern "C" __global__ void turn(const __grid_constant__ kiln::cuda::StateTables tables, int64_t mcs) {
  kiln::device::turn_cells(kiln::device::whole_grid(), tables, mcs);
}

extern "C" __global__ void move_anchors(const __grid_constant__ kiln::cuda::StateTables tables) {
  kiln::device::move_far_anchors(kiln::device::whole_grid(), tables);
}

extern "C" __global__ void refresh_stamps(const __grid_constant__ kiln::cuda::StateTables tables,
                                          uint32_t clock) {
  kiln::device::set_stamps_back(kiln::device::whole_grid(), tables, clock);
}
