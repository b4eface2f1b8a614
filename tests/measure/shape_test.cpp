#include "measure/shape.hpp"

#include <gtest/gtest.h>

#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;

const std::vector<bool> kNothingFrozen = {false, false};

TEST(Fragments, CornersConnectAndWallsDoNot) {
  const std::vector<CellId> ids = {
      1, 0, 0, 1,   //
      0, 1, 0, 0,   //
      0, 0, 0, 0};  // 1 touches itself at a corner; its site at the right does not
  const auto components = [&](bool periodic_x) {
    return component_counts(state_from(flat(4, 3, periodic_x, false), ids, {0, 1}, kNothingFrozen),
                            kNothingFrozen);
  };
  EXPECT_EQ(components(false), (std::vector<int32_t>{0, 2}));
  EXPECT_EQ(components(true), (std::vector<int32_t>{0, 1}));
}

TEST(Fragments, CountCellsNotPieces) {
  const std::vector<CellId> ids = {1, 2, 3, 1, 3, 4, 1, 4};
  const State state = state_from(flat(8, 1, false, false), ids, {0, 1, 1, 1, 2}, {false, false, true});
  // Cell 1 lies in three pieces, cell 3 in two, cell 4 too but is frozen.
  EXPECT_EQ(component_counts(state, {false, false, true}), (std::vector<int32_t>{0, 3, 1, 2, 0}));
  EXPECT_EQ(fragmented_cells(state, {false, false, true}), 2);
}

// A spiral: rows far apart belong together only by way of the whole.
TEST(Fragments, FollowWindingCells) {
  const std::vector<CellId> ids = {1, 1, 1, 1, 1, 1, 1,  //
                                   0, 0, 0, 0, 0, 0, 1,  //
                                   1, 1, 1, 1, 1, 0, 1,  //
                                   1, 0, 0, 0, 1, 0, 1,  //
                                   1, 0, 2, 0, 0, 0, 1,  //
                                   1, 0, 0, 0, 0, 0, 1,  //
                                   1, 1, 1, 1, 1, 1, 1};
  EXPECT_EQ(
      fragmented_cells(state_from(flat(7, 7, false, false), ids, {0, 1, 1}, kNothingFrozen), kNothingFrozen),
      0);
}

std::vector<int32_t> flood_fill(const State& state, const std::vector<bool>& frozen) {
  std::vector<std::vector<Site>> neighbours(state.lattice.sites());
  for_each_neighbour(state.lattice, [&](Site a, Site b) { neighbours[a].push_back(b); });
  std::vector<int32_t> components(state.cells.count());
  std::vector<bool> seen(state.lattice.sites());
  for (Site start = 0; start < state.lattice.sites(); ++start) {
    const CellId id = state.ids[start];
    if (seen[start] || id == kMedium || frozen[state.cells.type[id]]) continue;
    ++components[id];
    std::vector<Site> open = {start};
    seen[start] = true;
    while (!open.empty()) {
      const Site site = open.back();
      open.pop_back();
      for (const Site next : neighbours[site]) {
        if (seen[next] || state.ids[next] != id) continue;
        seen[next] = true;
        open.push_back(next);
      }
    }
  }
  return components;
}

TEST(Fragments, EqualFloodFill) {
  std::vector<Lattice> lattices = assorted_lattices();
  lattices.push_back(flat(40, 30, true, true));
  lattices.push_back(flat(40, 30, false, true));
  lattices.push_back(deep({13, 12, 11}, {true, true, true}));
  lattices.push_back(deep({13, 12, 11}, {true, false, false}));
  const std::vector<bool> frozen = {false, false, true};
  uint64_t seed = 100;
  for (const Lattice& lattice : lattices)
    for (const CellId cells : {CellId(2), CellId(5), CellId(20)}) {
      const State state = random_state(lattice, cells, 3, frozen, ++seed);
      const std::vector<int32_t> expected = flood_fill(state, frozen);
      for (const int threads : {1, 4})
        ASSERT_EQ(component_counts(state, frozen, threads), expected) << "seed " << seed;
    }
}

TEST(Extinct, CountsTrackedCellsWithoutSites) {
  const std::vector<bool> frozen = {false, false, true};
  const State state = state_from(flat(2, 1, false, false), {1, 0}, {0, 1, 1, 2, 1}, frozen);
  EXPECT_EQ(extinct_cells(state, frozen), 2);  // 2 and 4; 3 is frozen
}

// A row with cell 1 from `begin` on, `count` sites long, wrapped.
State bar(int32_t length, int32_t begin, int32_t count, bool periodic) {
  std::vector<CellId> ids(length);
  for (int32_t i = 0; i < count; ++i) ids[(begin + i) % length] = 1;
  State state = state_from(flat(length, 1, periodic, false), ids, {0, 1}, kNothingFrozen);
  state.cells.centroid[1].anchor = {begin + length, 0, 0};  // gone round once
  return state;
}

TEST(Wide, IsMoreThanHalfOfAPeriodicAxis) {
  EXPECT_EQ(wide_cells(bar(8, 0, 4, true), kNothingFrozen), 0);
  EXPECT_EQ(wide_cells(bar(8, 6, 4, true), kNothingFrozen), 0);  // across the wall
  EXPECT_EQ(wide_cells(bar(8, 6, 5, true), kNothingFrozen), 1);
  EXPECT_EQ(wide_cells(bar(8, 0, 8, true), kNothingFrozen), 1);
  EXPECT_EQ(wide_cells(bar(7, 5, 3, true), kNothingFrozen), 0);
  EXPECT_EQ(wide_cells(bar(7, 5, 4, true), kNothingFrozen), 1);
  EXPECT_EQ(wide_cells(bar(8, 0, 8, false), kNothingFrozen), 0);
}

TEST(Wide, EqualsCountingSiteBySite) {
  uint64_t seed = 200;
  for (const Lattice& lattice : assorted_lattices()) {
    const State state = random_state(lattice, 12, 2, kNothingFrozen, ++seed);
    int64_t expected = 0;
    for (CellId cell = 1; cell < state.cells.count(); ++cell) {
      bool wide = false;
      for (int axis = 0; axis < 3; ++axis) {
        int32_t least = 1000, most = -1000;
        for (Site site = 0; site < lattice.sites(); ++site) {
          if (state.ids[site] != cell) continue;
          const Vec3i& anchor = state.cells.centroid[cell].anchor;
          const int32_t offset = offset_from_anchor(lattice, anchor, lattice.position(site))[axis];
          least = std::min(least, offset);
          most = std::max(most, offset);
        }
        wide |= lattice.periodic[axis] && most >= least && 2 * (most - least + 1) > lattice.size[axis];
      }
      expected += wide;
    }
    ASSERT_EQ(wide_cells(state, kNothingFrozen), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kiln
