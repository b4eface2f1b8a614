#include "core/state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kiln {
namespace {

// 6 x 4, x periodic: cell 1 straddles the wall in x, cell 2 is frozen.
//   1 0 0 2 2 1
//   1 0 0 2 2 1
//   0 0 0 0 0 0
//   0 0 0 0 0 0
State straddling() {
  State s;
  s.lattice = {{6, 4, 1}, {true, false, false}, 2};
  s.ids = HugeVector<CellId>(24);
  for (const int i : {0, 5, 6, 11}) s.ids[std::size_t(i)] = 1;
  for (const int i : {3, 4, 9, 10}) s.ids[std::size_t(i)] = 2;
  s.cells.add(0);
  s.cells.add(1);
  s.cells.add(2);
  return s;
}
const std::vector<bool> kFrozen = {false, false, true};
const Neighbourhood kMoore2 = neighbourhood_of_order(2, 2);

TEST(Recount, ByHandAcrossAPeriodicWall) {
  State s = straddling();
  recount(s, kMoore2, kFrozen, false);
  EXPECT_EQ(s.cells.extent[1].volume, 4);
  // (0,0): (1,0), (1,1); (5,0): (4,0), (4,1); (0,1): (1,0), (1,1), (1,2), (0,2), (5,2); (5,1): likewise 5.
  EXPECT_EQ(s.cells.extent[1].perimeter, 14);
  EXPECT_EQ(s.cells.centroid[1].anchor, (Vec3i{0, 0, 0}));
  EXPECT_EQ(s.cells.position(1), (Vec3d{-0.5, 0.5, 0}));
  EXPECT_EQ(s.cells.extent[2], Cells::Extent{});  // frozen cells are not tracked
  EXPECT_EQ(audit(s, kMoore2, kFrozen), "");
}

TEST(Recount, AuditNamesTheCellThatIsWrong) {
  State s = straddling();
  recount(s, kMoore2, kFrozen, false);
  s.cells.extent[1].perimeter += 1;
  EXPECT_EQ(audit(s, kMoore2, kFrozen),
            "cell 1: tracked volume 4, perimeter 15, sum (-2 2 0), but counted volume 4, perimeter 14, sum "
            "(-2 2 0)");
}

TEST(Recount, KeepsUnwrappedAnchors) {
  State s = straddling();
  recount(s, kMoore2, kFrozen, false);
  s.cells.centroid[1].anchor.x = 17;  // site 5, two boxes on
  recount(s, kMoore2, kFrozen, true);
  EXPECT_EQ(s.cells.position(1), (Vec3d{17.5, 0.5, 0}));
}

// Against a count that uses nothing but Lattice::wrap, for walls and reaches at random.
TEST(Recount, EqualsANaiveCount) {
  std::mt19937 rng(5);
  for (int round = 0; round < 40; ++round) {
    State s;
    const int dimension = 2 + round % 2;
    s.lattice.dimension = dimension;
    s.lattice.size = {int(7 + rng() % 4), int(7 + rng() % 3), dimension == 3 ? int(7 + rng() % 3) : 1};
    for (int axis = 0; axis < dimension; ++axis) s.lattice.periodic[axis] = rng() % 2 == 0;
    s.ids = HugeVector<CellId>(std::size_t(s.lattice.sites()));
    for (CellId& id : s.ids) id = rng() % 4;
    s.cells.add(0);
    for (int c = 0; c < 3; ++c) s.cells.add(1);
    const Neighbourhood n = neighbourhood_of_order(dimension, 1 + int(rng() % 6));
    recount(s, n, {false, false}, false);
    std::vector<int> volume(4), perimeter(4);
    for (Site site = 0; site < s.lattice.sites(); ++site) {
      const CellId cell = s.ids[std::size_t(site)];
      volume[cell] += 1;
      for (int k = 0; k < n.count; ++k) {
        Vec3i p = s.lattice.position(site) + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
        if (s.lattice.wrap(p) && s.ids[std::size_t(s.lattice.index(p))] != cell) perimeter[cell] += 1;
      }
    }
    for (CellId cell = 1; cell < 4; ++cell) {
      EXPECT_EQ(s.cells.extent[cell].volume, volume[cell]);
      EXPECT_EQ(s.cells.extent[cell].perimeter, perimeter[cell]);
    }
  }
}

TEST(StateHash, SeesEveryPartOfTheState) {
  State s = straddling();
  recount(s, kMoore2, kFrozen, false);
  s.act = HugeVector<ActValue>(24);
  s.cells.direction.assign(3, Vec3f{});
  const std::string base = state_hash(s);
  const auto changed = [&](const auto& change) {
    State other = s;
    change(other);
    return state_hash(other) != base;
  };
  EXPECT_TRUE(changed([](State& o) { o.mcs = 1; }));
  EXPECT_TRUE(changed([](State& o) { std::swap(o.ids[0], o.ids[1]); }));
  EXPECT_TRUE(changed([](State& o) { o.act[3] = 1; }));
  EXPECT_TRUE(changed([](State& o) { o.cells.type[1] = 2; }));
  EXPECT_TRUE(changed([](State& o) { o.cells.extent[1].volume = 5; }));
  EXPECT_TRUE(changed([](State& o) { o.cells.extent[1].perimeter = 5; }));
  EXPECT_TRUE(changed([](State& o) { o.cells.centroid[1].sum.y += 1; }));
  EXPECT_TRUE(changed([](State& o) { o.cells.centroid[1].anchor.x += 6; }));
  EXPECT_TRUE(changed([](State& o) { o.cells.direction[2].z = 1; }));
  EXPECT_FALSE(changed([](State&) {}));
}

// A value that every platform must give.
TEST(StateHash, IsFixed) {
  State s = straddling();
  recount(s, kMoore2, kFrozen, false);
  EXPECT_EQ(state_hash(s), "9eff66dc26151cde");
}

TEST(HugeVector, IsZeroedCopiedAndCompared) {
  HugeVector<CellId> a(1 << 20);
  EXPECT_EQ(std::count(a.begin(), a.end(), 0u), 1 << 20);
  a[77] = 5;
  const HugeVector<CellId> b = a;
  EXPECT_TRUE(a == b);
  a[77] = 6;
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(HugeVector<CellId>().empty());
}

}  // namespace
}  // namespace kiln
