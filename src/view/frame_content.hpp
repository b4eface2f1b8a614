// What a client wants of a frame beside sites and the sizes of cells.
#pragma once

#include <compare>
#include <string>

namespace kiln::view {

struct FrameContent {
  std::string field = "";    // of sites, by name: Act or a substance; "": none
  bool all_numbers = false;  // of cells, also where these are very many

  auto operator<=>(const FrameContent&) const = default;
};

}  // namespace kiln::view
