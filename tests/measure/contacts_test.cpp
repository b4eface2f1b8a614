#include "measure/contacts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;

// Two cells and medium:  1 1 2 2
//                        0 1 2 0
const std::vector<CellId> kPair = {1, 1, 2, 2, 0, 1, 2, 0};

TEST(Contacts, HandCountedWithClosedWalls) {
  const State state = state_from(flat(4, 2, false, false), kPair, {0, 1, 2}, {false, false, false});
  const ContactMatrix contacts = contact_matrix(state, 3);
  EXPECT_EQ(contacts.at(1, 2), 4);
  EXPECT_EQ(contacts.at(2, 1), 4);
  EXPECT_EQ(contacts.at(1, 0), 3);
  EXPECT_EQ(contacts.at(2, 0), 3);
  EXPECT_EQ(contacts.at(1, 1), 0);
  EXPECT_EQ(contacts.interface_of(1), 7);
  EXPECT_DOUBLE_EQ(contacts.fraction(1, 0), 3.0 / 7.0);
  EXPECT_DOUBLE_EQ(contacts.fraction(1, 2), 4.0 / 7.0);
  EXPECT_EQ(interface_by_kind(contacts, {false, false, false}), (Interface{0, 4, 6, 0}));
}

// Across the wall in x: 2-1 along the first row, and both diagonals with the medium.
TEST(Contacts, HandCountedWithPeriodicWalls) {
  const State state = state_from(flat(4, 2, true, false), kPair, {0, 1, 2}, {false, false, false});
  const ContactMatrix contacts = contact_matrix(state, 3);
  EXPECT_EQ(contacts.at(1, 2), 5);
  EXPECT_EQ(contacts.at(1, 0), 4);
  EXPECT_EQ(contacts.at(2, 0), 4);
}

TEST(Contacts, OfOneTypeCountForBothCellsInFractions) {
  const State state = state_from(flat(4, 2, false, false), kPair, {0, 1, 1}, {false, false});
  const ContactMatrix contacts = contact_matrix(state, 2);
  EXPECT_EQ(contacts.at(1, 1), 4);
  EXPECT_EQ(contacts.interface_of(1), 14);
  EXPECT_DOUBLE_EQ(contacts.fraction(1, 1), 8.0 / 14.0);
  EXPECT_EQ(interface_by_kind(contacts, {false, false}), (Interface{4, 0, 6, 0}));
}

TEST(Contacts, FrozenCellsAreApartFromBothKinds) {
  const State state = state_from(flat(4, 2, false, false), kPair, {0, 1, 2}, {false, false, true});
  EXPECT_EQ(interface_by_kind(contact_matrix(state, 3), {false, false, true}), (Interface{0, 0, 3, 4}));
}

TEST(Contacts, HandCountedIn3d) {
  const std::vector<CellId> layers = {1, 1, 1, 1, 2, 2, 2, 2};
  const auto between = [&](Vec3<bool> periodic) {
    return contact_matrix(state_from(deep({2, 2, 2}, periodic), layers, {0, 1, 2}, {false, false, false}), 3)
        .at(1, 2);
  };
  EXPECT_EQ(between({false, false, false}), 16);  // each of four sites touches four
  EXPECT_EQ(between({false, false, true}), 32);   // and the same again through the wall
  std::vector<CellId> single(27);
  single[13] = 1;
  const State state = state_from(deep({3, 3, 3}, {true, true, true}), single, {0, 1}, {false, false});
  EXPECT_EQ(contact_matrix(state, 2).at(1, 0), 26);
}

TEST(Contacts, WithoutInterfaceTheFractionIsUndefined) {
  const State state = state_from(flat(2, 2, false, false), {1, 1, 1, 1}, {0, 1}, {false, false});
  EXPECT_TRUE(std::isnan(contact_matrix(state, 2).fraction(1, 0)));
}

void expect_equal_to_counting_one_by_one(const State& state, int types, int threads) {
  std::vector<int64_t> twice(std::size_t(types) * types);
  for_each_neighbour(state.lattice, [&](Site a, Site b) {
    if (state.ids[a] == state.ids[b]) return;
    ++twice[state.cells.type[state.ids[a]] * types + state.cells.type[state.ids[b]]];
  });
  const ContactMatrix contacts = contact_matrix(state, types, threads);
  for (int a = 0; a < types; ++a)
    for (int b = 0; b < types; ++b) {
      // Every pair was met from both sides; for two types the sides lie in two entries.
      const int64_t expected = a == b ? twice[a * types + a] / 2 : twice[a * types + b];
      ASSERT_EQ(contacts.at(a, b), expected)
          << "types " << a << " and " << b << " on " << state.lattice.size.x << "x" << state.lattice.size.y
          << "x" << state.lattice.size.z;
    }
}

TEST(Contacts, EqualCountingOneByOne) {
  const std::vector<bool> frozen(21);
  uint64_t seed = 1;
  for (const Lattice& lattice : assorted_lattices()) {
    expect_equal_to_counting_one_by_one(random_state(lattice, 3, 3, frozen, ++seed), 3, 1);
    expect_equal_to_counting_one_by_one(random_state(lattice, 40, 21, frozen, ++seed), 21, 3);
  }
}

// Longer than what is summed in 16 bits, with nearly all neighbours unlike.
TEST(Contacts, EqualCountingOneByOneOnLongRows) {
  const std::vector<bool> frozen(3);
  const Lattice lattice = deep({9001, 3, 3}, {true, true, true});
  expect_equal_to_counting_one_by_one(random_state(lattice, 500, 2, frozen, 5), 2, 2);
}

TEST(Contacts, EveryPerimeterIsInterface) {
  const std::vector<bool> frozen(4);
  const State state = random_state(deep({11, 9, 8}, {true, false, true}), 30, 4, frozen, 3);
  const ContactMatrix contacts = contact_matrix(state, 4);
  std::vector<int64_t> perimeter(4);
  for (CellId cell = 1; cell < state.cells.count(); ++cell)
    perimeter[state.cells.type[cell]] += state.cells.extent[cell].perimeter;
  for (int type = 1; type < 4; ++type) EXPECT_EQ(contacts.interface_of(type), perimeter[type]);
}

}  // namespace
}  // namespace kiln
