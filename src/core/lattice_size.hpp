// Sizes of lattices in words, and of cells as lengths.
#pragma once

#include <string>

#include "core/lattice.hpp"

namespace kiln {

std::string size_text(const Lattice& lattice);  // 64 x 64 x 64

// The diameter of a ball, or in 2-D a disc, of this many sites.
double ball_diameter(double sites, int dimension);

}  // namespace kiln
