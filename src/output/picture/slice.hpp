// A plane of the lattice, site by site: all of a 2-D lattice, or a cut across one axis of a 3-D one.
#pragma once

#include "output/picture/image.hpp"

namespace kiln {

// Columns and rows are the two axes that are left, in the order x, y, z. Row 0 of the lattice is at the top,
// as numpy and image files have it. Sites are squares of a whole number of pixels; a lattice with more sites
// than `width` is sampled at every second, third, ... site. The result is at most `width` pixels wide, and
// the footer is below it.
Image draw_slice(const PictureSettings& settings, const Model& model, const State& state);

}  // namespace kiln
