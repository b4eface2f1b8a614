#include "core/lattice_size.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/math.hpp"

namespace kiln {

std::string size_text(const Lattice& lattice) {
  return lattice.dimension == 2 ? fmt::format("{} x {}", lattice.size.x, lattice.size.y)
                                : fmt::format("{} x {} x {}", lattice.size.x, lattice.size.y, lattice.size.z);
}

double ball_diameter(double sites, int dimension) {
  constexpr double kPi = 3.14159265358979323846;
  if (dimension == 2) return 2 * sqrt_of(sites / kPi);
  const double cube = 6 * sites / kPi;
  double edge = std::max(cube, 1.0);  // Newton's method from above; library cube roots differ
  for (int i = 0; i < 200; ++i) edge = (2 * edge + cube / (edge * edge)) / 3;
  return edge;
}

}  // namespace kiln
