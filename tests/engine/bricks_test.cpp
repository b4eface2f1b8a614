// A tissue cut into bricks: the same bits as in one piece, after every MCS, however it is cut.
#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "engine/host/threads.hpp"
#include "engine/ranks/bricks_engine.hpp"
#include "engine/ranks/sharing.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "support/full_world.hpp"
#include "support/shipped.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln {
namespace {

using test::SmallWorld;
using test::tiles_settings;

std::string text(const Vec3i& counts) { return bricks_text(counts, 3); }

int reach_of(const SmallWorld& w) { return longest_reach(w.adhesion_neighbours, w.perimeter_neighbours); }

// Whether a brick has as many sites along each axis as it needs.
bool fits(const Lattice& lattice, const Vec3i& counts, int reach) {
  for (int axis = 0; axis < 3; ++axis)
    if (counts[axis] > 1 && lattice.size[axis] / counts[axis] < thinnest_brick(reach)) return false;
  return true;
}

template <int Dim>
int64_t expect_same_bits(const SmallWorld& world, const Vec3i& bricks, int passes, int threads, int mcs,
                         const WrapExchange& wrap = {}) {
  SCOPED_TRACE(testing::Message() << text(bricks) << " bricks, " << passes << " passes");
  SmallWorld w = world;
  const tiles::Settings settings = tiles_settings(w, passes);
  ThreadsEngine<Dim> whole(w.state, w.physics(), 5, settings, 1);
  BricksEngine<Dim> cut(w.state, w.physics(), 5, settings, bricks, threads, wrap);
  for (int m = 1; m <= mcs; ++m) {
    whole.advance(1);
    cut.advance(1);
    EXPECT_EQ(audit(cut.state(), w.perimeter_neighbours, w.frozen()), "") << "MCS " << m;
    EXPECT_EQ(state_hash(cut.state()), state_hash(whole.state())) << "MCS " << m;
    if (testing::Test::HasFailure()) return 0;
  }
  EXPECT_EQ(cut.counts().attempts, whole.counts().attempts);
  EXPECT_EQ(cut.counts().live, whole.counts().live);
  EXPECT_EQ(cut.counts().accepted, whole.counts().accepted);
  return cut.counts().accepted;
}

constexpr Vec3i kCuts2D[] = {{1, 2, 1}, {2, 1, 1}, {2, 2, 1}, {3, 2, 1}};
constexpr Vec3i kCuts3D[] = {{1, 1, 2}, {2, 2, 1}, {2, 2, 2}, {3, 1, 2}};

// Cells of a random world lie in pieces all over the lattice: most are shared by ranks that are no
// neighbours.
TEST(Bricks, GiveTheSameBitsForCellsInPieces) {
  int64_t accepted = 0;
  for (const int passes : {0, 1, 2, 4}) {
    for (const Vec3i& cut : kCuts2D)
      for (const bool periodic : {false, true}) {
        const Lattice lattice{{26, 23, 1}, {periodic, !periodic, false}, 2};
        accepted += expect_same_bits<2>(test::everything_in(lattice, 3), cut, passes, 1, 4);
        if (HasFailure()) return;
      }
    for (const Vec3i& cut : kCuts3D)
      for (const bool periodic : {false, true}) {
        const Lattice lattice{{17, 13, 11}, {periodic, true, !periodic}, 3};
        accepted += expect_same_bits<3>(test::everything_in(lattice, 4), cut, passes, 1, 3);
        if (HasFailure()) return;
      }
  }
  EXPECT_GT(accepted, 1000);
}

// All terms; cells of a few sites and cells larger than a brick.
TEST(Bricks, GiveTheSameBitsForTissues) {
  for (const int edge : {1, 4, 15})
    for (const int passes : {0, 1, 4}) {
      const SmallWorld flat = test::tissue({{61, 47, 1}, {true, false, false}, 2}, edge, 1);
      const SmallWorld deep = test::tissue({{29, 26, 31}, {false, true, true}, 3}, edge, 4);
      for (const Vec3i& cut : kCuts2D) EXPECT_GT(expect_same_bits<2>(flat, cut, passes, 1, 3), 0);
      for (const Vec3i& cut : kCuts3D) EXPECT_GT(expect_same_bits<3>(deep, cut, passes, 1, 2), 0);
      if (HasFailure()) return;
    }
}

TEST(Bricks, TakeNeighboursFartherAway) {
  for (const int order : {1, 4, 5}) {
    const SmallWorld flat = test::everything_in({{40, 37, 1}, {true, true, false}, 2}, 7, order, order);
    const SmallWorld deep = test::everything_in({{18, 19, 17}, {true, false, true}, 3}, 7, order, order);
    for (const Vec3i& cut : kCuts2D)
      if (fits(flat.state.lattice, cut, reach_of(flat))) expect_same_bits<2>(flat, cut, 0, 1, 3);
    for (const Vec3i& cut : kCuts3D)
      if (fits(deep.state.lattice, cut, reach_of(deep))) expect_same_bits<3>(deep, cut, 0, 1, 2);
    if (HasFailure()) return;
  }
}

// As thin as they may be, along one axis and along all.
TEST(Bricks, MayBeThin) {
  const Lattice flat{{24, 20, 1}, {true, false, false}, 2}, deep{{8, 12, 12}, {true, false, true}, 3};
  const SmallWorld w2 = test::tissue(flat, 3, 5), w3 = test::tissue(deep, 3, 6);
  const int thin = thinnest_brick(reach_of(w2));
  for (const int passes : {0, 1}) {
    EXPECT_GT(expect_same_bits<2>(w2, {24 / thin, 1, 1}, passes, 1, 6), 0);
    EXPECT_GT(expect_same_bits<2>(w2, {24 / thin, 20 / thin, 1}, passes, 1, 6), 0);
    EXPECT_GT(expect_same_bits<3>(w3, {8 / thin, 12 / thin, 12 / thin}, passes, 1, 4), 0);
    if (HasFailure()) return;
  }
}

TEST(Bricks, TakeAnyNumberOfThreads) {
  const SmallWorld flat = test::tissue({{90, 80, 1}, {true, true, false}, 2}, 5, 1);
  for (const int passes : {0, 1, 4})
    for (const int threads : {2, 3}) EXPECT_GT(expect_same_bits<2>(flat, {2, 2, 1}, passes, threads, 3), 0);
}

}  // namespace
}  // namespace kiln
