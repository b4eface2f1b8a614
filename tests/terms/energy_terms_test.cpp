// Adhesion, volume and perimeter: the change of a copy equals the energy after minus the energy before, on
// random lattices in 2-D and 3-D with random walls, types and parameters; and values derived by hand.
#include <gtest/gtest.h>

#include "support/small_world.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

template <class Term, class World>
float cells_delta_of(const Physics& physics, World& world, const Copy& copy) {
  return delta_of_cells<Term>(physics, world, copy, change_of(physics, world, copy));
}

template <int Dim>
void check_random_copies(int order_adhesion, int order_perimeter) {
  std::mt19937 rng(7);
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SmallWorld w = test::random_world(Dim, seed, order_adhesion, order_perimeter);
    for (int k = 0; k < 5; ++k) {
      Copy copy;
      Vec3i target;
      if (!test::random_copy<Dim>(w, rng, copy, target)) continue;
      const Physics physics = w.physics();
      test::NaiveWorld<Dim> world(w, copy, target);
      const double adhesion_before = test::adhesion_energy(w);
      const double volume_before = test::volume_energy(w), perimeter_before = test::perimeter_energy(w);
      const double adhesion = adhesion_delta(physics, world, copy);
      const double volume = cells_delta_of<volume::Term>(physics, world, copy);
      const double perimeter = cells_delta_of<perimeter::Term>(physics, world, copy);
      w.state.ids[std::size_t(w.state.lattice.index(target))] = copy.winner;
      w.recount();
      // All parameters are multiples of 1/8 and all counts small: every value is exact in float.
      EXPECT_EQ(adhesion, test::adhesion_energy(w) - adhesion_before) << "seed " << seed;
      EXPECT_EQ(volume, test::volume_energy(w) - volume_before) << "seed " << seed;
      EXPECT_EQ(perimeter, test::perimeter_energy(w) - perimeter_before) << "seed " << seed;
      ++checked;
    }
  }
  EXPECT_GT(checked, 250);
}

TEST(EnergyTerms, DeltaIsEnergyAfterMinusBefore2D) { check_random_copies<2>(0, 0); }
TEST(EnergyTerms, DeltaIsEnergyAfterMinusBefore3D) { check_random_copies<3>(0, 0); }
TEST(EnergyTerms, DeltaIsEnergyAfterMinusBeforeVonNeumann) {
  check_random_copies<2>(1, 1);
  check_random_copies<3>(1, 1);
}
TEST(EnergyTerms, DeltaIsEnergyAfterMinusBeforeFarNeighbours) {
  check_random_copies<2>(6, 4);
  check_random_copies<3>(6, 5);
  check_random_copies<3>(3, 1);
}

// A closed 4 x 4 lattice with cells 1 and 2 of type 1, and medium:
//   1 1 2 2
//   1 1 2 2
//   0 0 2 2
//   0 0 0 0
// J(cell, cell) = 3, J(cell, medium) = 5; volume target 4 lambda 2; perimeter target 10 lambda 0.5.
SmallWorld by_hand() {
  SmallWorld w;
  w.state.lattice = {{4, 4, 1}, {false, false, false}, 2};
  const CellId ids[16] = {1, 1, 2, 2, 1, 1, 2, 2, 0, 0, 2, 2, 0, 0, 0, 0};
  w.state.ids = HugeVector<CellId>(16);
  std::copy(ids, ids + 16, w.state.ids.begin());
  w.state.cells.add(0);
  w.state.cells.add(1);
  w.state.cells.add(1);
  w.types.resize(2);
  w.types[1].volume = {4, 2};
  w.types[1].perimeter = {10, 0.5f};
  w.j = {0, 5, 5, 3};
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  w.recount();
  return w;
}

TEST(EnergyTerms, CountsByHand) {
  const SmallWorld w = by_hand();
  EXPECT_EQ(w.state.cells.extent[1].volume, 4);
  EXPECT_EQ(w.state.cells.extent[2].volume, 6);
  // Cell 1: (0,0) none; (1,0) sees (2,0) and (2,1); (0,1) sees (0,2), (1,2); (1,1) sees (2,0), (2,1), (2,2),
  // (1,2), (0,2).
  EXPECT_EQ(w.state.cells.extent[1].perimeter, 9);
  // Cell 2: (2,0): 2; (3,0): 0; (2,1): (1,0),(1,1),(1,2) 3; (3,1): 0; (2,2): (1,1),(1,2),(1,3),(2,3),(3,3) 5;
  // (3,2): (2,3),(3,3) 2.
  EXPECT_EQ(w.state.cells.extent[2].perimeter, 12);
}

struct Deltas {
  double adhesion, volume, perimeter;
};

Deltas deltas_of(SmallWorld& w, const Vec3i& source, const Vec3i& target) {
  const CellId winner = w.state.ids[std::size_t(w.state.lattice.index(source))];
  const CellId loser = w.state.ids[std::size_t(w.state.lattice.index(target))];
  const Copy copy{winner, loser,          w.state.cells.type[winner], w.state.cells.type[loser],
                  source, target - source};
  const Physics physics = w.physics();
  test::NaiveWorld<2> world(w, copy, target);
  return {adhesion_delta(physics, world, copy), cells_delta_of<volume::Term>(physics, world, copy),
          cells_delta_of<perimeter::Term>(physics, world, copy)};
}

TEST(EnergyTerms, CellToCellByHand) {
  SmallWorld w = by_hand();
  // Cell 2 takes (1,0) from cell 1. Neighbours of (1,0): (0,0) 1, (2,0) 2, (0,1) 1, (1,1) 1, (2,1) 2.
  // Lost: two pairs with cell 2 at 3. Won: three pairs with cell 1 at 3. Net +3.
  // Volume: cell 2 goes 6 -> 7: 2 (9 - 4) = 10; cell 1 goes 4 -> 3: 2 (1 - 0) = 2. Net 12.
  // Perimeter: cell 2 gains 5 - 2*2 = 1: 12 -> 13: 0.5 (9 - 4) = 2.5; cell 1: 2*3 - 5 = 1: 9 -> 10:
  // 0.5 (0 - 1) = -0.5. Net 2.
  const Deltas d = deltas_of(w, {2, 0, 0}, {1, 0, 0});
  EXPECT_EQ(d.adhesion, 3);
  EXPECT_EQ(d.volume, 12);
  EXPECT_EQ(d.perimeter, 2);
}

TEST(EnergyTerms, CellToMediumByHand) {
  SmallWorld w = by_hand();
  // Cell 1 takes (0,2) from the medium. Neighbours: (0,1) 1, (1,1) 1, (1,2) 0, (0,3) 0, (1,3) 0.
  // Lost: two pairs cell-medium (10). Won: three pairs (15). Net +5.
  // Volume 4 -> 5: 2. Perimeter 5 - 2*2 = 1: 9 -> 10: -0.5.
  const Deltas d = deltas_of(w, {0, 1, 0}, {0, 2, 0});
  EXPECT_EQ(d.adhesion, 5);
  EXPECT_EQ(d.volume, 2);
  EXPECT_EQ(d.perimeter, -0.5);
}

TEST(EnergyTerms, MediumToCellByHand) {
  SmallWorld w = by_hand();
  // The medium takes (2,2) from cell 2. Neighbours: (1,1) 1, (2,1) 2, (3,1) 2, (1,2) 0, (3,2) 2, (1,3) (2,3)
  // (3,3) 0. Lost: one pair with cell 1 (3) and four with medium (20). Won: cell 1 (5), three of cell 2 (15).
  // Net -3. Volume 6 -> 5: 2 (1 - 4) = -6. Perimeter 2*3 - 8 = -2: 12 -> 10: 0.5 (0 - 4) = -2.
  const Deltas d = deltas_of(w, {1, 2, 0}, {2, 2, 0});
  EXPECT_EQ(d.adhesion, -3);
  EXPECT_EQ(d.volume, -6);
  EXPECT_EQ(d.perimeter, -2);
}

}  // namespace
}  // namespace kiln
