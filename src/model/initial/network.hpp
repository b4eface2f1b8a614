// The random stroma network as a graph.
#pragma once

#include <utility>
#include <vector>

#include "model/initial/step.hpp"

namespace kiln {

struct NetworkGraph {
  std::vector<Vec3d> nodes;
  std::vector<std::pair<uint32_t, uint32_t>> edges;  // those that are whole
};

// What add_network() does, and what it drew.
NetworkGraph grow_network(StepBuilder& builder);

}  // namespace kiln
