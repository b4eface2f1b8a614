#include "model/initial/hexagonal.hpp"

#include <algorithm>
#include <cmath>

#include "core/math.hpp"

namespace kiln {
namespace {

constexpr double kHalfRoot3 =
    0.86602540378443865;  // distance of rows, in units of that of the points of a row
constexpr double kRootTwoThirds = 0.81649658092772603;  // of layers

// Moves all points a little against the sites, so that no site lies half-way between two of them: ties all go
// to the point of lower index, and every second row would be thinner.
constexpr FinePoint kOffTies{17, 11, 13};

// By bisection: the libms of two platforms may differ in the last bit.
double cube_root(double v) {
  double low = 0, high = std::max(1.0, v);
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (middle * middle * middle <= v ? low : high) = middle;
  }
  return low;
}

// Distance of the points of a row at which a cell has this volume.
double distance_for(double volume, int dimension) {
  if (dimension == 2) return sqrt_of(volume / kHalfRoot3);
  return cube_root(volume / (kHalfRoot3 * kRootTwoThirds));
}

}  // namespace

HexagonalPacking::HexagonalPacking(const InitialStep& step, const Lattice& lattice)
    : size_(lattice.size), box_(bounding_box(step.region, lattice)), dimension_(lattice.dimension) {
  if (box_.sites() == 0) return;
  const double distance = distance_for(step.volume, dimension_);
  const Vec3d apart{distance, distance * kHalfRoot3, distance * kRootTwoThirds};
  for (int axis = 0; axis < 3; ++axis) {
    const bool wraps = lattice.periodic[axis] && box_[axis].length() == lattice.size[axis];
    const int64_t step_of = wraps && axis > 0 ? 2 : 1;  // rows and layers repeat after two
    const double whole = double(box_[axis].length()) / (apart[axis] * double(step_of));
    cells_[axis] = step_of * std::max<int64_t>(1, int64_t(whole + 0.5));
    if (axis == 0) wraps_x_ = wraps;
  }
  if (dimension_ == 2) cells_.z = 1;
}

// Every second row begins and ends with half a cell, where it does not close around the axis.
int64_t HexagonalPacking::row_length(int64_t row, int64_t layer) const {
  return cells_.x + ((row + layer) % 2 == 1 && !wraps_x_ ? 1 : 0);
}

double HexagonalPacking::count() const {
  const double rows = double(cells_.y) * double(cells_.z);
  return rows * double(cells_.x) + (wraps_x_ ? 0 : std::floor(rows / 2));
}

Vec3d HexagonalPacking::spacing() const {
  Vec3d result;
  for (int axis = 0; axis < 3; ++axis)
    result[axis] = double(box_[axis].length()) / double(std::max<int64_t>(1, cells_[axis]));
  return result;
}

double HexagonalPacking::full_sites() const {
  const Vec3d sides = spacing();
  return sides.x * sides.y * sides.z;
}

FinePoint HexagonalPacking::point(int64_t i, int64_t row, int64_t layer) const {
  // part/parts of the box's side.
  const auto place = [&](int axis, int64_t part, int64_t parts) {
    const int64_t length = box_[axis].length() * kFine;
    return box_[axis].begin * kFine + int64_t(static_cast<__int128>(length) * part / parts);
  };
  // The points of a layer lie over the gaps of the one below: a third of a row farther.
  const int64_t third = dimension_ == 2 ? 0 : layer % 2 == 1 ? 1 : -1;
  const bool shifted = (row + layer) % 2 == 1;
  const FinePoint at{place(0, 2 * i + (shifted ? 0 : 1), 2 * cells_.x),
                     place(1, 6 * row + 3 + third, 6 * cells_.y), place(2, 2 * layer + 1, 2 * cells_.z)};
  return at + kOffTies;
}

std::vector<FinePoint> HexagonalPacking::points() const {
  std::vector<FinePoint> result;
  result.reserve(std::size_t(count()));
  for (int64_t layer = 0; layer < cells_.z; ++layer)
    for (int64_t row = 0; row < cells_.y; ++row)
      for (int64_t i = 0; i < row_length(row, layer); ++i) result.push_back(point(i, row, layer));
  return result;
}

SiteBox HexagonalPacking::box_of(int64_t number) const {
  // Of two rows that follow each other, counted through all layers, one is shifted.
  const int64_t pair = 2 * cells_.x + (wraps_x_ ? 0 : 1);
  int64_t row = 2 * (number / pair), i = number % pair;
  if (const int64_t first = row_length(row % cells_.y, row / cells_.y); i >= first) {
    i -= first;
    ++row;
  }
  const FinePoint at = point(i, row % cells_.y, row / cells_.y);
  const Vec3d sides = spacing();
  Span span[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = double(at[axis]) / double(kFine) - 0.5;
    span[axis] = sites_between(middle - 0.5 * sides[axis], middle + 0.5 * sides[axis], size_[axis]);
  }
  return {span[0], span[1], span[2]};
}

}  // namespace kiln
