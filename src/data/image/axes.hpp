// Arrays of two to five axes as stacks: (t, c, z, y, x), without the first ones where there are fewer.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "data/image/image.hpp"

namespace kiln {

// Where the chosen part of an array lies.
struct StackPlace {
  std::vector<uint64_t> start, lengths;  // along each axis of the array
  std::array<int64_t, 3> zyx{1, 1, 1};   // the shape of the stack
  int64_t channels = 1, times = 1;       // that the array has
};

StackPlace place_of_stack(const std::string& name, const std::vector<uint64_t>& shape, const ImagePart& part);

}  // namespace kiln
