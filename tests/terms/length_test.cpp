// The length constraint: axes of shapes that are known, what they do not depend on, and dH as the energy
// after minus the energy before.
#include <gtest/gtest.h>

#include <cmath>

#include "support/small_world.hpp"

namespace kiln {
namespace {

using length::Axes;
using test::SmallWorld;

// The axes of some sites, seen from an anchor.
Axes axes_of_sites(const std::vector<Vec3i>& sites, const Vec3i& anchor, int dimension) {
  Vec3<int64_t> sum;
  Moments moments;
  for (const Vec3i& site : sites) {
    const Vec3i offset = site - anchor;
    for (int axis = 0; axis < 3; ++axis) sum[axis] += offset[axis];
    moments.add(offset, +1, dimension);
  }
  return length::axes_of(int64_t(sites.size()), sum, moments, dimension);
}

std::vector<Vec3i> rod(int sites) {
  std::vector<Vec3i> result;
  for (int i = 0; i < sites; ++i) result.push_back({i, 0, 0});
  return result;
}

std::vector<Vec3i> ellipsoid(double a, double b, double c) {
  std::vector<Vec3i> result;
  for (int z = -30; z <= 30; ++z)
    for (int y = -30; y <= 30; ++y)
      for (int x = -30; x <= 30; ++x)
        if (x * x / (a * a) + y * y / (b * b) + (c > 0 ? z * z / (c * c) : z * z * 1e9) <= 1)
          result.push_back({x, y, z});
  return result;
}

// A row of n sites has the variance (n^2 - 1) / 12.
TEST(Length, OfARod) {
  EXPECT_DOUBLE_EQ(axes_of_sites(rod(10), {0, 0, 0}, 2).longest, 4 * std::sqrt(99.0 / 12));
  EXPECT_NEAR(axes_of_sites(rod(10), {0, 0, 0}, 3).longest, 2 * std::sqrt(5 * 99.0 / 12), 1e-12);
  EXPECT_EQ(axes_of_sites(rod(10), {0, 0, 0}, 2).shortest, 0);
  EXPECT_NEAR(axes_of_sites(rod(10), {0, 0, 0}, 3).shortest, 0, 1e-6);
  EXPECT_EQ(axes_of_sites(rod(1), {0, 0, 0}, 3).longest, 0);
}

TEST(Length, OfAnEllipseAndAnEllipsoidIsTheirAxis) {
  const Axes flat = axes_of_sites(ellipsoid(20, 8, 0), {3, -2, 0}, 2);
  EXPECT_NEAR(flat.longest, 40, 0.4);
  EXPECT_NEAR(flat.shortest, 16, 0.4);
  const Axes solid = axes_of_sites(ellipsoid(20, 12, 7), {3, -2, 5}, 3);
  EXPECT_NEAR(solid.longest, 40, 0.4);
  EXPECT_NEAR(solid.shortest, 14, 0.4);
  const Axes ball = axes_of_sites(ellipsoid(9, 9, 9), {0, 0, 0}, 3);
  EXPECT_NEAR(ball.longest, ball.shortest, 1e-9);
}

// Against the eigenvalues by Jacobi's rotations.
double largest_eigenvalue(double m[3][3]) {
  for (int sweep = 0; sweep < 60; ++sweep)
    for (int p = 0; p < 2; ++p)
      for (int q = p + 1; q < 3; ++q) {
        if (std::abs(m[p][q]) < 1e-300) continue;
        const double theta = 0.5 * std::atan2(2 * m[p][q], m[q][q] - m[p][p]);
        const double c = std::cos(theta), s = std::sin(theta);
        for (int k = 0; k < 3; ++k) {
          const double a = m[k][p], b = m[k][q];
          m[k][p] = c * a - s * b, m[k][q] = s * a + c * b;
        }
        for (int k = 0; k < 3; ++k) {
          const double a = m[p][k], b = m[q][k];
          m[p][k] = c * a - s * b, m[q][k] = s * a + c * b;
        }
      }
  return std::max({m[0][0], m[1][1], m[2][2]});
}

TEST(Length, IsTheLargestEigenvalueOfRandomBlobs) {
  std::mt19937 rng(3);
  for (int blob = 0; blob < 300; ++blob) {
    std::vector<Vec3i> sites;
    double mean[3] = {}, m[3][3] = {};
    for (int i = 0; i < 40; ++i) {
      sites.push_back({int(rng() % 30), int(rng() % 8), int(rng() % (1 + unsigned(blob) % 20))});
      for (int a = 0; a < 3; ++a) mean[a] += sites.back()[a] / 40.0;
    }
    for (const Vec3i& s : sites)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) m[a][b] += (s[a] - mean[a]) * (s[b] - mean[b]) / 40.0;
    const double expected = 2 * std::sqrt(5 * largest_eigenvalue(m));
    EXPECT_NEAR(axes_of_sites(sites, {1, 2, 3}, 3).longest, expected, 1e-9 * expected) << blob;
  }
}

TEST(Length, ChangesNoBitWhenACellTurnsOrMoves) {
  std::mt19937 rng(5);
  for (const int dimension : {2, 3})
    for (int blob = 0; blob < 100; ++blob) {
      std::vector<Vec3i> sites, turned;
      for (int i = 0; i < 30; ++i)
        sites.push_back({int(rng() % 40), int(rng() % 9), dimension == 3 ? int(rng() % 15) : 0});
      const Vec3i away{1000, -500, dimension == 3 ? 77 : 0};
      for (const Vec3i& s : sites)
        turned.push_back((dimension == 2 ? Vec3i{-s.y, s.x, 0} : Vec3i{-s.y, s.z, -s.x}) + away);
      const Axes a = axes_of_sites(sites, {0, 0, 0}, dimension);
      const Axes b = axes_of_sites(turned, {900, -450, dimension == 3 ? 60 : 0}, dimension);
      EXPECT_EQ(a.longest, b.longest);
      EXPECT_EQ(a.shortest, b.shortest);
    }
}

double length_energy(const SmallWorld& w) {
  double sum = 0;
  for (CellId cell = 1; cell < w.state.cells.count(); ++cell) {
    const Cells& cells = w.state.cells;
    sum += length::energy(w.types[cells.type[cell]].length,
                          length::axes_of(cells.extent[cell].volume, cells.centroid[cell].sum,
                                          cells.moments[cell], w.state.lattice.dimension));
  }
  return sum;
}

template <int Dim>
void check_random_copies() {
  std::mt19937 rng(11);
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SmallWorld w = test::random_world(Dim, seed);
    for (TypePhysics& type : w.types) type.length = {6, 0.5f, 2, seed % 2 == 0 ? 0.25f : 0.0f};
    w.state.cells.moments.resize(w.state.cells.count());
    w.recount();
    for (int k = 0; k < 5; ++k) {
      Copy copy;
      Vec3i target;
      if (!test::random_copy<Dim>(w, rng, copy, target)) continue;
      const Physics physics = w.physics();
      test::NaiveWorld<Dim> world(w, copy, target);
      const double before = length_energy(w);
      const float delta = delta_of_cells<length::Term>(physics, world, copy, change_of(physics, world, copy));
      w.state.ids[std::size_t(w.state.lattice.index(target))] = copy.winner;
      // With the same anchors: cells here are wider than half the lattice, where offsets depend on them.
      kiln::recount(w.state, w.perimeter_neighbours, w.frozen(), true);
      EXPECT_NEAR(delta, length_energy(w) - before, 1e-4) << "seed " << seed;
      ++checked;
    }
  }
  EXPECT_GT(checked, 250);
}

TEST(Length, DeltaIsEnergyAfterMinusBefore2D) { check_random_copies<2>(); }
TEST(Length, DeltaIsEnergyAfterMinusBefore3D) { check_random_copies<3>(); }

}  // namespace
}  // namespace kiln
