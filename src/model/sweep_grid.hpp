// A sweep: every combination of the values that some keys of a model take, and so many replicas of each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/file/overrides.hpp"

namespace kiln {

// A key of the model and the values it takes, as they would stand in a model file; or several keys that take
// the same value.
struct Variation {
  std::string key;  // dotted; several with commas between
  std::vector<std::string> values;
};

// From "KEY=a,b,c" or "KEY=LO:HI:STEP": LO, LO + STEP, ... up to HI, with HI where a step falls on it. Both
// may be mixed. UserError where it is neither, with what is wrong.
Variation parse_variation(const std::string& text);

// Keys one by one, as in a grid; the last one changes fastest.
struct Combination {
  std::vector<std::string> values;  // one per variation
};
std::vector<Combination> combinations(const std::vector<Variation>& variations);

// What --set would be given: "KEY=VALUE" per key.
std::vector<std::string> settings_of(const std::vector<Variation>& variations,
                                     const Combination& combination);
// The same as changes of a model; messages name --vary.
std::vector<Override> overrides_of(const std::vector<Variation>& variations, const Combination& combination);

// The seed of a replica, counted from 1. It depends on the model's seed, on what is varied to which values
// (in whatever order), and on the replica: a grid that grows leaves the seeds of its runs as they are. Below
// 2^53, so that every program that reads tables reads it right.
uint64_t replica_seed(uint64_t model_seed, std::vector<std::string> settings, int64_t replica);

// UserError where keys repeat, replicas have no meaning, or there would be too many runs.
void check_sweep(const std::vector<Variation>& variations, int64_t replicas);

}  // namespace kiln
