// Every random stream of the project. A stream's number is part of the meaning of a seed: never reuse one.
#pragma once

#include "core/types.hpp"

namespace kiln {

enum class Stream : uint32_t {
  attempts = 1,                // serial schedule: (attempt, mcs) -> target, source, threshold
  live_attempts = 3,           // serial schedule: (draw, mcs) -> the jump there, target, source, threshold
  start_direction = 4,         // (cell, try) -> first direction of a persistent cell
  initial_types = 5,           // (cell, step) -> type of a cell placed with type weights
  initial_seeds = 6,           // (draw, step) -> where a seed is put
  initial_network = 7,         // (draw, step) -> nodes of a stroma network
  pictures = 8,                // (cell, 0) -> colour of a cell; (cell, 1) -> whether it is drawn
  tile_rounds = 9,             // tiles schedule: (round, 0) -> where the tiles lie, order among conflicts
  tile_attempts = 10,          // tiles schedule: (tile group, round) -> source and threshold of four tiles
  checkerboard_regions = 11,   // checkerboard schedule: (switch, 0) -> which region becomes active
  checkerboard_attempts = 12,  // checkerboard schedule: (pair of blocks, step) -> an attempt of each
  phantom_noise = 14,          // (voxel, 0) -> noise of a generated image
  sweep_seeds = 16,            // (hash of what is varied, replica) -> seed of a run of a sweep
  initial_voronoi = 17,        // (draw, step) -> site of a seed of a Voronoi packing
  checkerboard_replayed = 18,  // checkerboard schedule: (block, how many before) -> a replayed number
  division = 19,               // (mother and try, mcs) -> sign of the normal, direction of a random plane
  rules = 20,                  // (cell and draw, mcs) -> a random number in a rule or in a growth rate
  first_properties = 21,       // (cell and draw, 0) -> a random number in a property's start
};

}  // namespace kiln
