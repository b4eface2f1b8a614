// Two models of one run: how they may differ, and how they do.
#pragma once

#include <string>
#include <vector>

#include "model/file/overrides.hpp"

namespace kiln {

struct Model;

// What makes a run of this model so many MCS long in all: a single phase gets them, of several the later ones
// are cut, or the last one goes on for longer.
std::vector<Override> length_overrides(const Model& model, int64_t mcs);

// Where two models differ, as their resolved texts say: the dotted key and both values, "" where there is
// none.
struct KeyDifference {
  std::string key, one, other;
};
std::vector<KeyDifference> model_differences(const Node& one, const Node& other);

}  // namespace kiln
