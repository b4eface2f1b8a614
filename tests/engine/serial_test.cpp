// The fast serial engine against the textbook loop and against naive look-ups, on random small lattices.
#include "engine/host/serial.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/host/plain.hpp"
#include "engine/host/world.hpp"
#include "support/full_world.hpp"

namespace kiln {
namespace {

using test::everything;
using test::SmallWorld;

template <int Dim>
void check_same_chain_as_plain() {
  int64_t accepted = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SmallWorld w = everything(Dim, seed);
    const Physics physics = w.physics();
    SerialEngine<Dim> engine(w.state, physics, seed, Jumping::never);
    AttemptCounts counts;
    for (int mcs = 0; mcs < 8; ++mcs) {
      plain_mcs(w.state, physics, seed, counts);
      engine.advance(1);
      ASSERT_EQ(state_hash(engine.state()), state_hash(w.state)) << "seed " << seed << ", MCS " << mcs;
      ASSERT_EQ(audit(w.state, w.perimeter_neighbours, w.frozen()), "") << "seed " << seed << ", MCS " << mcs;
    }
    EXPECT_EQ(engine.counts().attempts, counts.attempts);
    EXPECT_EQ(engine.counts().live, counts.live);
    EXPECT_EQ(engine.counts().accepted, counts.accepted);
    accepted += counts.accepted;
  }
  EXPECT_GT(accepted, 1000);
}
TEST(Serial, IsTheTextbookChainBitForBit2D) { check_same_chain_as_plain<2>(); }
TEST(Serial, IsTheTextbookChainBitForBit3D) { check_same_chain_as_plain<3>(); }

// A lattice of several batches, most attempts null, many accepted: null attempts that come to life in
// mid-batch.
TEST(Serial, NullAttemptsThatComeToLifeAreNotMissed) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    SmallWorld w = test::random_world(2, seed);
    for (TypePhysics& t : w.types) t.volume.lambda = t.perimeter.lambda = 0;
    std::fill(w.j.begin(), w.j.end(), 0.0);  // every attempt between two cells succeeds
    const Physics physics = w.physics();
    SerialEngine<2> engine(w.state, physics, seed, Jumping::never);
    AttemptCounts counts;
    for (int mcs = 0; mcs < 5; ++mcs) plain_mcs(w.state, physics, seed, counts);
    engine.advance(5);
    ASSERT_EQ(state_hash(engine.state()), state_hash(w.state)) << seed;
  }
}

template <int Dim>
void check_world() {
  std::mt19937 rng(3);
  for (unsigned seed = 0; seed < 40; ++seed) {
    SmallWorld w = everything(Dim, seed);
    for (ActValue& v : w.state.act) v = ActValue(rng() % 12);
    const Physics physics = w.physics();
    const StateReader<Dim> around(w.state);
    for (int k = 0; k < 20; ++k) {
      Copy copy;
      Vec3i target;
      if (!test::random_copy<Dim>(w, rng, copy, target)) continue;
      const Lattice& l = w.state.lattice;
      const typename HostWorld<Dim>::Place at{l.index(target), target, around.is_interior(target)};
      const typename HostWorld<Dim>::Place from{l.index(copy.source), copy.source,
                                                around.is_interior(copy.source)};
      typename HostWorld<Dim>::Scratch scratch;
      const HostWorld<Dim> fast(around, physics, copy, at, from, scratch);
      const test::NaiveWorld<Dim> naive(w, copy, target);
      for (int lane = 0; lane < Patch<Dim>::kLanes; ++lane)
        ASSERT_EQ(fast.around_target().ids[lane], naive.around_target().ids[lane]) << lane;
      EXPECT_EQ(fast.tally().winners, naive.tally().winners);
      EXPECT_NEAR(fast.mean_act_at_target(), naive.mean_act_at_target(), 1e-4);
      EXPECT_NEAR(fast.mean_act_at_source(), naive.mean_act_at_source(), 1e-4);
    }
  }
}
TEST(HostWorld, ShowsTheLatticeAsItIs2D) { check_world<2>(); }
TEST(HostWorld, ShowsTheLatticeAsItIs3D) { check_world<3>(); }

template <int Dim>
void check_jumping_bookkeeping() {
  for (unsigned seed = 0; seed < 20; ++seed) {
    SmallWorld w = everything(Dim, seed);
    const Physics physics = w.physics();
    SerialEngine<Dim> engine(w.state, physics, seed, Jumping::always);
    for (int mcs = 0; mcs < 8; ++mcs) {
      engine.advance(1);
      ASSERT_EQ(audit(engine.state(), w.perimeter_neighbours, w.frozen()), "");
    }
    EXPECT_EQ(engine.counts().attempts, 8 * w.state.lattice.sites());
  }
}
TEST(Serial, BookkeepingIsExactWhenJumping) {
  check_jumping_bookkeeping<2>();
  check_jumping_bookkeeping<3>();
}

// Stopping between any two MCS and going on from the state alone gives the same bits.
TEST(Serial, AStateIsAllThatIsNeededToGoOn) {
  for (const Jumping jumping : {Jumping::automatic, Jumping::never, Jumping::always}) {
    SmallWorld w = everything(3, 5);
    const Physics physics = w.physics();
    SerialEngine<3> whole(w.state, physics, 9, jumping);
    whole.advance(9);
    SerialEngine<3> first(w.state, physics, 9, jumping);
    first.advance(4);
    SerialEngine<3> second(first.state(), physics, 9, jumping);
    second.advance(5);
    EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
  }
}

TEST(LiveBlocks, UpdatesEqualARebuild) {
  std::mt19937 rng(8);
  for (unsigned seed = 0; seed < 20; ++seed) {
    SmallWorld w = everything(3, seed);
    const std::vector<bool> frozen = w.frozen();
    LiveBlocks<3> kept;
    kept.rebuild(w.state, frozen);
    const StateReader<3> around(w.state);
    for (int k = 0; k < 50; ++k) {
      Copy copy;
      Vec3i target;
      if (!test::random_copy<3>(w, rng, copy, target)) continue;
      if (frozen[copy.loser_type] || frozen[copy.winner_type]) continue;
      Patch<3> patch;
      around.load_anywhere(patch, nullptr, target);
      w.state.ids[std::size_t(w.state.lattice.index(target))] = copy.winner;
      kept.update(w.state.lattice, patch, target, copy.loser, copy.winner);
      LiveBlocks<3> fresh;
      fresh.rebuild(w.state, frozen);
      ASSERT_EQ(kept.live_sites(), fresh.live_sites());
      ASSERT_EQ(kept.live_count(), fresh.live_count());
    }
  }
}

// One cell carried along x by a strong uniform field, around a periodic box again and again: its unwrapped
// centroid keeps counting, in agreement with the steps seen modulo the box.
TEST(Centroids, AreUnwrappedOverManyBoxes) {
  SmallWorld w;
  w.state.lattice = {{24, 16, 1}, {true, true, false}, 2};
  w.state.ids = HugeVector<CellId>(24 * 16);
  for (int y = 4; y < 9; ++y)
    for (int x = 4; x < 9; ++x) w.state.ids[std::size_t(y * 24 + x)] = 1;
  w.state.cells.add(0);
  w.state.cells.add(1);
  w.types.resize(2);
  w.types[1].volume = {25, 5};
  w.types[1].chemotaxis = {60, 0};
  VectorField field;
  field.axis = {1, 0, 0};
  w.fields = {field};
  w.j = {0, 4, 4, 0};
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  w.recount();
  const Physics physics = w.physics();
  SerialEngine<2> engine(w.state, physics, 4, Jumping::automatic);
  double last = engine.state().cells.position(1).x, path = 0;
  for (int mcs = 0; mcs < 400; ++mcs) {
    engine.advance(1);
    ASSERT_EQ(audit(engine.state(), w.perimeter_neighbours, w.frozen()), "") << mcs;
    const double now = engine.state().cells.position(1).x;
    EXPECT_LT(std::fabs(now - last), 3) << "a jump at MCS " << mcs;
    path += now - last;
    last = now;
  }
  EXPECT_GT(path, 3 * 24);
}

}  // namespace
}  // namespace kiln
