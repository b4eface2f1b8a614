// Measures of a lattice that lies on a GPU.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/cuda/tiles/engine.hpp"
#include "support/nvrtc.hpp"
#include "support/tiles_worlds.hpp"
#include "survey_checks.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

void check(SmallWorld world) {
  const Physics physics = world.physics();
  cuda::TilesEngine engine(world.state, physics, 5, test::tiles_settings(world, 1), world.largest_act(), 0);
  engine.advance(3);
  test::expect_same_survey(engine, world.frozen());
  EXPECT_EQ(engine.state().mcs, 3);
  EXPECT_EQ(audit(engine.state(), world.perimeter_neighbours, world.frozen()), "");
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
