// Measures of a lattice that lies on a GPU are those of the same lattice on the host.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cuda/tiles/engine.hpp"
#include "measure/cell_table.hpp"
#include "measure/contacts.hpp"
#include "measure/motility/explored.hpp"
#include "measure/motility/mixing.hpp"
#include "support/nvrtc.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

void expect_same_contacts(const Look& gpu, const State& host, int types) {
  const ContactMatrix there = contact_matrix(gpu, types), here = contact_matrix(host, types);
  for (int a = 0; a < types; ++a)
    for (int b = 0; b < types; ++b) EXPECT_EQ(there.at(a, b), here.at(a, b)) << a << ", " << b;
}

void expect_same_explored(const Look& gpu, const State& host, const std::vector<bool>& frozen) {
  Explored there(frozen, {.cells = 3}, 2), here(frozen, {.cells = 3}, 1);
  there.begin(gpu);
  here.begin(host);
  EXPECT_EQ(there.data().seen, here.data().seen);
  EXPECT_EQ(there.data().visits, here.data().visits);
  EXPECT_EQ(there.sites(), here.sites());
  EXPECT_EQ(there.data().cells, here.data().cells);
}

// Cells by turns of the one kind and the other, some of neither.
void expect_same_touching(const Look& gpu, const State& host) {
  std::vector<Half> halves(host.cells.count());
  for (std::size_t cell = 1; cell < halves.size(); ++cell) halves[cell] = Half(cell % 3);
  EXPECT_EQ(touches_other_half(gpu, halves), touches_other_half(host, halves));
}

void check(SmallWorld world) {
  const Physics physics = world.physics();
  cuda::TilesEngine engine(world.state, physics, 5, test::tiles_settings(world, 1), world.largest_act(), 0);
  engine.advance(3);
  const Look gpu(engine);
  ASSERT_NE(gpu.survey(), nullptr);
  EXPECT_EQ(gpu.mcs(), 3);
  const std::vector<Cells::Extent> extents = gpu.cells().extent;
  const std::vector<Cells::Centroid> centroids = gpu.cells().centroid;
  const std::vector<CellRow> rows = cell_rows(gpu, world.frozen(), 1);
  const std::vector<CellRow> sampled = cell_rows(gpu, world.frozen(), 3);

  const State host = engine.state();
  EXPECT_EQ(audit(host, world.perimeter_neighbours, world.frozen()), "");
  EXPECT_EQ(extents, host.cells.extent);
  EXPECT_EQ(centroids, host.cells.centroid);
  EXPECT_EQ(rows, cell_rows(host, world.frozen(), 1));
  EXPECT_EQ(sampled, cell_rows(host, world.frozen(), 3));
  expect_same_contacts(gpu, host, int(world.types.size()));
  expect_same_explored(gpu, host, world.frozen());
  expect_same_touching(gpu, host);
}

TEST(CudaSurvey, CountsWhatTheHostCounts) {
  KILN_NEEDS_GPU();
  for (const int dimension : {2, 3})
    for (unsigned seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(testing::Message() << dimension << "-D, world " << seed);
      check(test::everything(dimension, seed));
    }
}

// A wide cell beside a row of small ones: more neighbours than a set holds at first.
TEST(CudaSurvey, FindsAnyNumberOfNeighbours) {
  KILN_NEEDS_GPU();
  constexpr int kLength = 300;
  SmallWorld w = test::tissue({{kLength, 3, 1}, {false, false, false}, 2}, 1, 1);
  CellId wide = 1;
  while (w.state.cells.type[wide] != 1) ++wide;  // the type that is never frozen
  std::fill_n(w.state.ids.data(), 2 * kLength, wide);
  w.recount();
  const Physics physics = w.physics();
  cuda::TilesEngine engine(w.state, physics, 5, test::tiles_settings(w, 1), w.largest_act(), 0);
  const std::vector<CellRow> rows = cell_rows(Look(engine), w.frozen(), 1);
  EXPECT_EQ(rows, cell_rows(w.state, w.frozen(), 1));
  ASSERT_FALSE(rows.empty());
  EXPECT_EQ(rows.front().id, wide);
  EXPECT_EQ(rows.front().neighbours, kLength);
}

}  // namespace
}  // namespace kiln
