// The same bits over processes that talk by MPI. To be started by mpirun, with any number of ranks; each
// plays its brick of small tissues and, to compare, the whole.
#include <gtest/gtest.h>

#include "engine/host/threads.hpp"
#include "engine/ranks/brick_player.hpp"
#include "mpi/mpi_exchange.hpp"
#include "support/full_world.hpp"
#include "support/shipped.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

// What this rank knows has to be as in the whole: put into it, it changes nothing.
template <int Dim>
int64_t expect_same_bits(const SmallWorld& world, int passes, int mcs) {
  SmallWorld w = world;
  MpiExchange exchange;
  const tiles::Settings settings = test::tiles_settings(w, passes);
  const int reach = longest_reach(w.adhesion_neighbours, w.perimeter_neighbours);
  const BrickGrid grid(w.state.lattice,
                       brick_counts(w.state.lattice, exchange.ranks(), thinnest_brick(reach)));
  const std::vector<std::vector<CellId>> cells = cells_by_rank(w.state, grid, reach);
  ThreadsEngine<Dim> whole(w.state, w.physics(), 5, settings, 1);
  BrickPlayer<Dim> brick(
      cut_out(w.state, grid, exchange.rank(), reach, cells[std::size_t(exchange.rank())], w.frozen()),
      exchange, reach, holders_of(cells), 5, settings, 1);
  for (int m = 1; m <= mcs; ++m) {
    whole.advance(1);
    brick.advance(w.physics(), 1);
    State seen = whole.state();
    put_back(brick.tissue(), seen);
    EXPECT_EQ(state_hash(seen), state_hash(whole.state())) << "MCS " << m << ", rank " << exchange.rank();
  }
  return brick.counts().accepted;
}

TEST(MpiRanks, GiveTheBitsOfOneProcess) {
  int64_t accepted = 0;
  for (const int passes : {0, 1, 4}) {
    accepted +=
        expect_same_bits<2>(test::everything_in({{46, 43, 1}, {true, false, false}, 2}, 3), passes, 4);
    accepted += expect_same_bits<2>(test::tissue({{61, 47, 1}, {true, true, false}, 2}, 4, 1), passes, 4);
    accepted += expect_same_bits<3>(test::tissue({{29, 26, 31}, {false, true, true}, 3}, 4, 4), passes, 3);
  }
  EXPECT_GT(accepted, 100);
}

TEST(MpiRanks, PlayShippedModels) {
  for (const char* name : {"sorting.toml", "collective.toml", "lymph-node.toml"}) {
    const Model model = test::shipped_model(name);
    MpiExchange exchange;
    const auto alone = test::engine_for(model, {.engine = "threads", .threads = 1});
    const auto together = test::engine_for(model, {.engine = "threads", .threads = 1, .exchange = &exchange});
    for (const Phase& phase : model.phases) {
      alone->set_physics(phase.physics.view());
      together->set_physics(phase.physics.view());
      for (int mcs = 0; mcs < 6; ++mcs) {
        alone->advance(1);
        together->advance(1);
        ASSERT_EQ(together->hash(), alone->hash()) << name << ", " << phase.name << ", MCS " << mcs;
      }
    }
    EXPECT_EQ(exchange.sum(uint64_t(together->counts().accepted)), uint64_t(alone->counts().accepted))
        << name;
  }
}

}  // namespace
}  // namespace kiln

int main(int argc, char** argv) {
  kiln::MpiSession session(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  const int outcome = RUN_ALL_TESTS();
  kiln::MpiExchange all;
  return all.any(outcome != 0) ? 1 : 0;
}
