#include "measure/motility/mixing.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "measure/places.hpp"
#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;
using enum Half;

const std::vector<bool> kFrozenTypes = {false, false, true};

std::vector<Half> halves_of(const State& state, int axis) {
  return halves_along(state.lattice, axis, tracked_places(state, kFrozenTypes));
}

// Cells 1 and 2 in the lower half, 3 and 4 in the upper one, the frozen cell 5 in none.
TEST(Mixing, OnARow) {
  const std::vector<CellId> ids = {1, 1, 2, 2, 3, 3, 4, 4};
  const std::vector<TypeId> types = {0, 1, 1, 1, 1, 2};
  const State closed = state_from(flat(8, 1, false, false), ids, types, kFrozenTypes);
  EXPECT_EQ(halves_of(closed, 0), (std::vector<Half>{none, lower, lower, upper, upper, none}));
  EXPECT_EQ(touches_other_half(closed, halves_of(closed, 0)), (std::vector<uint8_t>{0, 0, 1, 1, 0, 0}));
  EXPECT_DOUBLE_EQ(mixed_fraction(closed, halves_of(closed, 0)), 0.5);
  const State periodic = state_from(flat(8, 1, true, false), ids, types, kFrozenTypes);
  EXPECT_DOUBLE_EQ(mixed_fraction(periodic, halves_of(periodic, 0)), 1);
  const State apart = state_from(flat(8, 1, false, false), {1, 1, 2, 5, 3, 3, 4, 4}, types, kFrozenTypes);
  EXPECT_DOUBLE_EQ(mixed_fraction(apart, halves_of(apart, 0)), 0) << "a frozen cell between them";
}

// Corners touch. The labels stay what they were: cell 1 has gone to the other side.
TEST(Mixing, LabelsAreThoseOfTheStart) {
  const State start =
      state_from(flat(2, 4, false, false), {1, 0, 2, 0, 0, 0, 0, 3}, {0, 1, 1, 1}, kFrozenTypes);
  const std::vector<Half> halves = halves_of(start, 1);
  EXPECT_EQ(halves, (std::vector<Half>{none, lower, lower, upper}));
  EXPECT_DOUBLE_EQ(mixed_fraction(start, halves), 0);
  const State later =
      state_from(flat(2, 4, false, false), {0, 0, 2, 0, 1, 0, 0, 3}, {0, 1, 1, 1}, kFrozenTypes);
  EXPECT_DOUBLE_EQ(mixed_fraction(later, halves), 0.5);
  const State dead =
      state_from(flat(2, 4, false, false), {0, 0, 0, 0, 1, 0, 0, 3}, {0, 1, 1, 1}, kFrozenTypes);
  EXPECT_DOUBLE_EQ(mixed_fraction(dead, halves), 1) << "cell 2 no longer counts";
}

TEST(Mixing, HasNoMeaningWithoutALowerHalf) {
  const State state = state_from(flat(4, 1, false, false), {0, 0, 0, 1}, {0, 1}, kFrozenTypes);
  EXPECT_TRUE(std::isnan(mixed_fraction(state, halves_of(state, 0))));
}

// 11 sites to the right in a box of 8 is x = 3.5 of [0, 8) with the half a site in front: the lower half.
TEST(Mixing, UnwrapsPlaces) {
  const std::vector<Vec3d> places = {kNoPlace, {11, 0, 0}, {-1, 0, 0}, {3.5, 0, 0}, {-5.25, 0, 0}};
  EXPECT_EQ(halves_along(flat(8, 1, true, false), 0, places),
            (std::vector<Half>{none, lower, upper, upper, lower}));
}

TEST(Mixing, EqualsANaiveCount) {
  uint64_t seed = 0;
  for (const Lattice& lattice : assorted_lattices()) {
    const State state = random_state(lattice, 12, 3, kFrozenTypes, ++seed);
    std::vector<Half> halves(state.cells.count(), none);
    for (CellId cell = 1; cell < halves.size(); ++cell)
      halves[cell] = kFrozenTypes[state.cells.type[cell]] ? none : cell % 3 == 0 ? lower : upper;
    std::vector<uint8_t> expected(halves.size());
    for_each_neighbour(lattice, [&](Site a, Site b) {
      const Half own = halves[state.ids[a]], other = halves[state.ids[b]];
      if (own != none && other != none && own != other) expected[state.ids[a]] = 1;
    });
    EXPECT_EQ(touches_other_half(state, halves), expected);
    EXPECT_EQ(touches_other_half(state, halves, 3), expected);
  }
}

// The distance itself counts, on a periodic axis the shorter way; a cell that is gone does not.
TEST(MixedWithin, OfAFewCells) {
  const std::vector<Vec3d> places = {kNoPlace,   {10, 5, 5}, {13, 9, 5}, {90, 5, 5},
                                     {20, 5, 5}, kNoPlace,   kNoPlace};
  const std::vector<Half> halves = {none, lower, upper, upper, lower, lower, upper};
  const double distances[] = {4.99, 5, 9};
  const Lattice closed = deep({100, 20, 20}, {false, false, false});
  EXPECT_EQ(mixed_within(closed, distances, places, halves), (std::vector<double>{0, 0.5, 1}));
  const std::vector<Half> swapped = {none, upper, lower, lower, none, none, none};
  const double far[] = {19, 20, 21};
  EXPECT_EQ(mixed_within(closed, far, places, swapped), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(mixed_within(deep({100, 20, 20}, {true, false, false}), far, places, swapped),
            (std::vector<double>{0.5, 1, 1}));
  EXPECT_TRUE(std::isnan(mixed_within(closed, far, places, std::vector<Half>(7, none))[0]));
  EXPECT_TRUE(mixed_within(closed, {}, places, halves).empty());
}

TEST(MixedWithin, EqualsANaiveCount) {
  std::vector<Vec3d> places = {kNoPlace};
  std::vector<Half> halves = {none};
  for (uint64_t cell = 1; cell <= 300; ++cell) {
    Digits digits{draw(5, Stream::pictures, cell, 0).ab()};
    const auto next = [&] { return double(digits.take(1u << 12)) / (1u << 12) * 150 - 25; };  // unwrapped
    const double x = next(), y = next(), z = next();
    places.push_back({x, y, z});
    halves.push_back(cell % 5 == 0 ? upper : lower);
  }
  const std::vector<double> distances = {12, 5, 30};
  for (const Vec3<bool> periodic :
       {Vec3<bool>{false, false, false}, {true, true, true}, {true, false, true}}) {
    const Lattice lattice = deep({100, 91, 95}, periodic);
    std::vector<double> expected(distances.size());
    for (std::size_t i = 0; i < distances.size(); ++i) {
      for (std::size_t a = 1; a < places.size(); ++a) {
        bool near = false;
        for (std::size_t b = 1; b < places.size(); ++b) {
          Vec3d way = places[b] - places[a];
          for (int axis = 0; axis < 3; ++axis)
            if (periodic[axis]) way[axis] = std::remainder(way[axis], lattice.size[axis]);
          near = near || (halves[b] == upper && dot(way, way) <= distances[i] * distances[i]);
        }
        expected[i] += halves[a] == lower && near ? 1 : 0;
      }
      expected[i] /= 240;
    }
    EXPECT_EQ(mixed_within(lattice, distances, places, halves), expected);
    EXPECT_EQ(mixed_within(lattice, distances, places, halves, 3), expected);
  }
}

}  // namespace
}  // namespace kiln
