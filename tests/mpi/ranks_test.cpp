// The same bits over processes that talk by MPI. To be started by mpirun, with any number of ranks; each
// plays its brick of small tissues and, to compare, the whole.
#include <gtest/gtest.h>

#include "engine/host/threads.hpp"
#include "engine/ranks/lead_engine.hpp"
#include "mpi/mpi_exchange.hpp"
#include "support/crew_of_threads.hpp"
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
      exchange, holders_of(cells), w.physics(), 5, settings, 1);
  for (int m = 1; m <= mcs; ++m) {
    whole.advance(1);
    brick.advance(1);
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
    Model model = test::shipped_model(name);
    for (Phase& phase : model.phases) phase.mcs = 6;
    Crew crew(std::make_unique<MpiExchange>());
    ASSERT_TRUE(crew.meet(model.resolved));
    if (!crew.leads()) {
      follow(crew, model, test::ranks_of_one_thread(model), 1, [] { return 0; });
      continue;
    }
    const auto alone = test::engine_for(model, {.engine = "threads", .threads = 1});
    const auto together = test::engine_for(model, {.engine = "threads", .threads = 1, .crew = &crew});
    for (int64_t mcs = 0; mcs < model.total_mcs() && !HasFailure(); ++mcs) {
      alone->set_physics(model.phase_at(mcs).physics.view());
      together->set_physics(model.phase_at(mcs).physics.view());
      alone->advance(1);
      together->advance(1);
      EXPECT_EQ(together->hash(), alone->hash()) << name << ", MCS " << mcs;
    }
    EXPECT_EQ(state_hash(together->state()), alone->hash()) << name;
    EXPECT_EQ(together->counts().accepted, alone->counts().accepted) << name;
    crew.order(Order::leave);
    crew.answers();
  }
}

}  // namespace
}  // namespace kiln

int main(int argc, char** argv) {
  const kiln::MpiSession session;
  testing::InitGoogleTest(&argc, argv);
  const int outcome = RUN_ALL_TESTS();
  kiln::MpiExchange all;
  return all.any(outcome != 0) ? 1 : 0;
}
