// How two halves of a tissue mix: the share of cells of the lower half that touch a cell of the upper one, or
// have the centroid of one near theirs.
#pragma once

#include <span>
#include <vector>

#include "measure/look.hpp"

namespace kiln {

enum class Half : uint8_t { none, lower, upper };

// Per cell id: on which side of the lattice's middle along `axis` its centroid lies. `places` as from
// tracked_places(); they are wrapped where the axis is periodic. A centroid on the middle is in the upper
// half.
std::vector<Half> halves_along(const Lattice& lattice, int axis, std::span<const Vec3d> places);

// Per cell id: 1 where a site of the cell is a Moore neighbour of a site of a cell of the other half.
std::vector<uint8_t> touches_other_half(const Look& look, std::span<const Half> halves, int threads = 1);

// Among the cells of the lower half that have a site. Undefined where there are none.
double mixed_fraction(const Look& look, std::span<const Half> halves, int threads = 1);

// Among the same cells: the share with the centroid of a cell of the upper half at that distance (sites) or
// less, for each distance. `places` as from tracked_places().
std::vector<double> mixed_within(const Lattice& lattice, std::span<const double> distances,
                                 std::span<const Vec3d> places, std::span<const Half> halves,
                                 int threads = 1);

}  // namespace kiln
