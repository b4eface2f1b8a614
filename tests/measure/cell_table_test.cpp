#include "measure/cell_table.hpp"

#include <gtest/gtest.h>

#include <set>

#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;

// 1 1 2 0 3
// 1 1 2 0 3
TEST(CellTable, HandCountedRows) {
  const std::vector<CellId> ids = {1, 1, 2, 0, 3, 1, 1, 2, 0, 3};
  const std::vector<bool> frozen = {false, false, true};
  State state = state_from(flat(5, 2, false, false), ids, {0, 1, 1, 2, 1}, frozen);
  const std::vector<CellRow> rows = cell_rows(state, frozen);
  // Cell 3 is frozen, cell 4 has no site. The perimeter of cell 1: its two right sites see both of cell 2's.
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], (CellRow{1, 1, 4, 4, {0.5, 0.5, 0}, 1}));
  EXPECT_EQ(rows[1], (CellRow{2, 1, 2, 8, {2, 0.5, 0}, 1}));

  state = state_from(flat(5, 2, true, false), ids, {0, 1, 1, 2, 1}, frozen);
  EXPECT_EQ(neighbour_counts(state),
            (std::vector<int32_t>{0, 2, 1, 1, 0}));  // 1 meets the frozen 3 across the wall
}

TEST(CellTable, PositionsAreUnwrapped) {
  const std::vector<bool> frozen = {false, false};
  State state = state_from(flat(5, 1, true, false), {1, 0, 0, 0, 1}, {0, 1}, frozen);
  // The cell lies on both sides of the wall, and has gone round the box once before.
  state.cells.centroid[1] = {{5 + 4, 0, 0}, {1, 0, 0}};
  EXPECT_EQ(cell_rows(state, frozen).at(0).position, (Vec3d{9.5, 0, 0}));
}

TEST(CellTable, NeighboursEqualCountingOneByOne) {
  uint64_t seed = 10;
  for (const Lattice& lattice : assorted_lattices())
    for (const CellId cells : {CellId(4), CellId(40)}) {
      const State state = random_state(lattice, cells, 2, {false, false}, ++seed);
      std::vector<std::set<CellId>> touching(cells + 1);
      for_each_neighbour(lattice, [&](Site a, Site b) {
        if (state.ids[a] != state.ids[b] && state.ids[b] != kMedium)
          touching[state.ids[a]].insert(state.ids[b]);
      });
      for (const int64_t stride : {1, 3}) {
        const std::vector<int32_t> counts = neighbour_counts(state, stride, 2);
        for (CellId cell = 1; cell <= cells; ++cell)
          ASSERT_EQ(counts[cell], is_sampled(cell, stride) ? int32_t(touching[cell].size()) : 0)
              << "cell " << cell;
        ASSERT_EQ(counts[kMedium], 0);
      }
    }
}

// Enough pairs that the tables of all threads grow several times.
TEST(CellTable, NeighboursDoNotDependOnThreads) {
  const State state = random_state(deep({40, 30, 30}, {true, true, false}), 9000, 2, {false, false}, 77);
  const std::vector<int32_t> alone = neighbour_counts(state, 1, 1);
  EXPECT_EQ(neighbour_counts(state, 1, 5), alone);
  // About four sites per cell, 26 neighbours each, all different but for chance.
  int64_t sum = 0;
  for (const int32_t count : alone) sum += count;
  EXPECT_GT(sum, 9000 * 80);
}

TEST(CellTable, EveryStridethIdIsSampled) {
  const std::vector<bool> frozen = {false, false};
  const State state = random_state(flat(20, 20, true, true), 20, 2, frozen, 8);
  std::vector<CellId> ids;
  for (const CellRow& row : cell_rows(state, frozen, 6)) ids.push_back(row.id);
  EXPECT_EQ(ids, (std::vector<CellId>{1, 7, 13, 19}));
}

TEST(SamplingStride, IsTheSmallestThatKeepsTheLimit) {
  EXPECT_EQ(sampling_stride(1000, 1000, 1'000'000), 1);
  EXPECT_EQ(sampling_stride(1001, 1000, 1'000'000), 2);
  EXPECT_EQ(sampling_stride(1000, 1001, 1'000'000), 2);  // 999 per sample
  EXPECT_EQ(sampling_stride(3'400'000, 11, 1'000'000), 38);
  EXPECT_EQ(sampling_stride(0, 10, 100), 1);
  EXPECT_EQ(sampling_stride(10, 0, 100), 1);
  EXPECT_EQ(sampling_stride(10, 1000, 100), 10);  // one cell is left
  for (int64_t cells = 1; cells < 60; ++cells)
    for (int64_t samples = 1; samples < 30; ++samples) {
      const auto rows = [&](int64_t stride) { return (cells + stride - 1) / stride * samples; };
      const int64_t stride = sampling_stride(cells, samples, 30);
      ASSERT_LE(rows(stride), 30);
      if (stride > 1) {
        ASSERT_GT(rows(stride - 1), 30);
      }
    }
}

}  // namespace
}  // namespace kiln
