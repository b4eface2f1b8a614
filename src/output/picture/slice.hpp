// A plane of the lattice, site by site: all of a 2-D lattice, or a cut across one axis of a 3-D one.
#pragma once

#include <span>

#include "core/box.hpp"
#include "model/model.hpp"
#include "output/picture/frame.hpp"
#include "output/picture/image.hpp"

namespace kiln {

// Columns and rows are the two axes that are left, in the order x, y, z. Along y, row 0 of the lattice is at
// the top, as numpy and image files have it; z points up. The picture is as wide as it is asked to be: sites
// are as nearly square as whole pixels allow, and a lattice with more sites than pixels is sampled. Where no
// width is asked for, sites are squares of a whole number of pixels. The caption is below.
IndexedImage draw_slice(const PictureSettings& settings, const Model& model, const State& state,
                        Frame& frame);

// The same, where the frame shows at least the sites of a box, and the state may have those of the plane
// alone. Cells have the colours of `numbers`, where there are any, in place of their ids.
IndexedImage draw_slice(const PictureSettings& settings, const Model& model, const State& state,
                        std::span<const CellId> numbers, const Box& seen, Frame& frame);
// The sites that it shows, at most.
Box plane_of_slice(const PictureSettings& settings, const Lattice& lattice);

}  // namespace kiln
