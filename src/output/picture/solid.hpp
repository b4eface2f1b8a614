// A shaded view of the cells' surfaces. Medium and hidden types are transparent. Surfaces and cut faces are
// smoothed over about two sites, so gaps and roughness of single sites do not show; a slice has every site.
// What reaches the lattice's wall is cut off flat there, as by a knife.
#pragma once

#include "model/model.hpp"
#include "output/picture/frame.hpp"
#include "output/picture/image.hpp"

namespace kiln {

inline constexpr Colour kSolidBackground{255, 255, 255};

// With `cut_away` the octant nearest to the camera is taken out. Frozen cells stay standing in it (a network
// of stroma is best seen that way) unless their type would hide most of the faces of the cut.
// With `one_cell_in` only so many of the cells that are not frozen are drawn, the same ones in every picture.
//
// `threads` 0: as many as the machine has; the picture does not depend on it.
Image draw_solid(const PictureSettings& settings, const Model& model, const State& state, int threads,
                 Frame& frame);

}  // namespace kiln
