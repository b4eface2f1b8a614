#include "core/lattice.hpp"

#include <gtest/gtest.h>

#include "core/neighbourhood.hpp"
#include "core/vector_field.hpp"

namespace kiln {
namespace {

TEST(Lattice, IndexAndPositionAreInverse) {
  const Lattice l{{7, 5, 3}, {true, false, true}, 3};
  EXPECT_EQ(l.sites(), 105);
  for (Site s = 0; s < l.sites(); ++s) EXPECT_EQ(l.index(l.position(s)), s);
  EXPECT_EQ(l.index({1, 0, 0}), 1);
  EXPECT_EQ(l.index({0, 1, 0}), 7);
  EXPECT_EQ(l.index({0, 0, 1}), 35);
}

TEST(Lattice, HasRoomForMoreThanFourBillionSites) {
  const Lattice l{{2048, 2048, 2048}, {true, true, true}, 3};
  EXPECT_EQ(l.sites(), Site(8589934592));
  EXPECT_EQ(l.position(l.index({2047, 3, 2047})), (Vec3i{2047, 3, 2047}));
}

TEST(Lattice, WrapsPeriodicAxesOnly) {
  const Lattice l{{4, 4, 1}, {true, false, false}, 2};
  Vec3i p{-1, 2, 0};
  EXPECT_TRUE(l.wrap(p));
  EXPECT_EQ(p, (Vec3i{3, 2, 0}));
  p = {4, 3, 0};
  EXPECT_TRUE(l.wrap(p));
  EXPECT_EQ(p, (Vec3i{0, 3, 0}));
  p = {1, 4, 0};
  EXPECT_FALSE(l.wrap(p));
  p = {-13, 0, 0};
  EXPECT_TRUE(l.wrap(p));
  EXPECT_EQ(p.x, 3);
}

TEST(Lattice, DifferencesLieInTheHalfOpenInterval) {
  const Lattice l{{6, 5, 6}, {true, true, false}, 3};
  EXPECT_EQ(l.difference(0, 0, 3), -3);  // L/2 itself belongs to the negative side
  EXPECT_EQ(l.difference(0, 3, 0), -3);
  EXPECT_EQ(l.difference(0, 0, 2), 2);
  EXPECT_EQ(l.difference(0, 1, 5), -2);
  EXPECT_EQ(l.difference(1, 0, 2), 2);
  EXPECT_EQ(l.difference(1, 0, 3), -2);
  EXPECT_EQ(l.difference(2, 0, 5), 5);  // closed: as it is
}

TEST(Neighbourhood, OrdersCountTheKnownShells) {
  const int flat[] = {4, 8, 12, 20, 24, 28}, deep[] = {6, 18, 26, 32, 56, 80};
  for (int order = 1; order <= 6; ++order) {
    EXPECT_EQ(neighbourhood_of_order(2, order).count, flat[order - 1]) << order;
    EXPECT_EQ(neighbourhood_of_order(3, order).count, deep[order - 1]) << order;
  }
  EXPECT_EQ(neighbourhood_of_order(2, 3).reach, 2);
  EXPECT_EQ(neighbourhood_of_order(2, 6).reach, 3);
  EXPECT_TRUE(neighbourhood_of_order(2, moore_order(2)).is_moore(2));
  EXPECT_TRUE(neighbourhood_of_order(3, moore_order(3)).is_moore(3));
  EXPECT_FALSE(neighbourhood_of_order(3, 2).is_moore(3));
}

template <int Dim>
void directions_match_the_list() {
  const Neighbourhood n = neighbourhood_of_order(Dim, moore_order(Dim));
  for (int k = 0; k < n.count; ++k)
    EXPECT_EQ(Moore<Dim>::offset(k), (Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z})) << k;
}
TEST(Neighbourhood, DirectionsAreInRasterOrder) {
  directions_match_the_list<2>();
  directions_match_the_list<3>();
}

TEST(VectorField, ShapesByHand) {
  const Lattice l{{10, 10, 1}, {false, false, false}, 2};
  VectorField f;
  f.axis = {3, 4, 0};
  f.strength = 5;
  EXPECT_EQ(f.at(l, {7, 7, 0}), (Vec3f{3, 4, 0}));
  f.shape = VectorField::Shape::radial;
  f.centre = {2, 2, 0};
  f.strength = 1;
  EXPECT_EQ(f.at(l, {7, 2, 0}), (Vec3f{1, 0, 0}));
  EXPECT_EQ(f.at(l, {2, 2, 0}), (Vec3f{0, 0, 0}));
  f.shape = VectorField::Shape::circular;
  f.axis = {0, 0, 1};
  EXPECT_EQ(f.at(l, {7, 2, 0}), (Vec3f{0, 1, 0}));  // counter-clockwise around z
  EXPECT_EQ(f.at(l, {2, 7, 0}), (Vec3f{-1, 0, 0}));
  const float data[4] = {1, 2, 3, 4};
  f.shape = VectorField::Shape::stored;
  f.data = data;
  f.components = 2;
  f.strength = 2;
  EXPECT_EQ(f.at(l, {1, 0, 0}), (Vec3f{6, 8, 0}));
}

}  // namespace
}  // namespace kiln
