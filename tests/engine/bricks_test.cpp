// A tissue cut into bricks: the same bits as in one piece, after every MCS, however it is cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include "base/error.hpp"
#include "engine/host/threads.hpp"
#include "engine/ranks/brick_player.hpp"
#include "engine/ranks/bricks_engine.hpp"
#include "engine/ranks/sharing.hpp"
#include "engine/schedule/rows_near.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "support/bricks.hpp"
#include "support/full_world.hpp"
#include "support/islet.hpp"
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
  BricksEngine cut(w.state, w.physics(), settings, bricks, ranks_of_threads(Dim, 5, settings, threads), wrap);
  for (int m = 1; m <= mcs; ++m) {
    whole.advance(1);
    cut.advance(1);
    EXPECT_EQ(audit(cut.state(), w.perimeter_neighbours, w.frozen()), "") << "MCS " << m;
    EXPECT_EQ(state_hash(cut.state()), state_hash(whole.state())) << "MCS " << m;
    EXPECT_EQ(cut.hash(), whole.hash()) << "in parts, MCS " << m;
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

TEST(Bricks, GiveTheSameBitsForLengthsAndStoredFields) {
  int64_t accepted = 0;
  for (const int passes : {0, 1, 4}) {
    const test::RareTerms flat(test::tissue({{61, 47, 1}, {true, false, false}, 2}, 5, 1));
    const test::RareTerms pieces(test::everything_in({{17, 13, 11}, {false, true, true}, 3}, 4));
    for (const Vec3i& cut : kCuts2D) accepted += expect_same_bits<2>(flat.world, cut, passes, 1, 4);
    for (const Vec3i& cut : kCuts3D) accepted += expect_same_bits<3>(pieces.world, cut, passes, 1, 3);
    if (HasFailure()) return;
  }
  EXPECT_GT(accepted, 1000);
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

// Which rows of tiles a brick looks at: all that have targets in it, none twice, and no more than are
// counted on.
TEST(Bricks, FindTheRowsOfTilesThatAreNear) {
  std::mt19937 rng(8);
  const auto upto = [&](int low, int high) { return low + int(rng() % unsigned(high - low + 1)); };
  int64_t with_targets = 0;
  for (int world = 0; world < 20000; ++world) {
    const Lattice lattice{
        {40, upto(4, 60), upto(4, 60)}, {false, upto(0, 1) == 1, upto(0, 1) == 1}, upto(2, 3)};
    tiles::Settings settings;
    settings.apart = upto(1, 3);
    settings.tile = {settings.apart, upto(settings.apart, 8), upto(settings.apart, 8)};
    Lattice whole = lattice;
    if (lattice.dimension == 2) whole.size.z = 1;
    const tiles::Round round = tiles::round_at(whole, settings, 5, uint64_t(world));
    Box box{{0, 0, 0}, whole.size};
    for (int axis = 1; axis < whole.dimension; ++axis) {
      box.low[axis] = upto(0, whole.size[axis] - 1);
      box.high[axis] = upto(box.low[axis] + 1, whole.size[axis]);
    }
    const tiles::RowsNear near(round, whole, box);
    std::map<std::pair<uint32_t, uint32_t>, int> seen;
    for (uint32_t row = 0; row < near.count(); ++row) seen[{near.j_of(row), near.k_of(row)}] += 1;
    for (uint32_t k = 0; k < uint32_t(round.count.z); ++k)
      for (uint32_t j = 0; j < uint32_t(round.count.y); ++j) {
        const Vec3i first = round.row_at(whole, j, k).first;
        const bool inside = first.y >= box.low.y && first.y < box.high.y &&
                            (whole.dimension == 2 || (first.z >= box.low.z && first.z < box.high.z));
        const auto found = seen.find({j, k});
        const int times = found == seen.end() ? 0 : found->second;
        ASSERT_LE(times, 1) << "world " << world;
        ASSERT_GE(times, inside ? 1 : 0) << "world " << world << ", row " << j << ", " << k;
        with_targets += inside;
      }
    uint32_t most[2] = {1, 1};
    for (int axis = 1; axis < whole.dimension; ++axis)
      most[axis - 1] = tiles::RowsNear::most_along(box.size()[axis], settings.tile[axis], round.count[axis]);
    ASSERT_FALSE(near.has(most[0], 0)) << "world " << world;
    ASSERT_FALSE(near.has(0, most[1])) << "world " << world;
  }
  EXPECT_GT(with_targets, 50'000);
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

// Hot cells, most of whose attempts are accepted: some of them move a site in every round between two
// refreshes.
TEST(Bricks, HearOfFastCellsInTime) {
  SmallWorld w = test::tissue({{24, 20, 1}, {true, false, false}, 2}, 2, 5);
  w.temperature = 10'000;
  EXPECT_GT(expect_same_bits<2>(w, {6, 1, 1}, 1, 1, 150), 5000);
}

TEST(Bricks, TakeAnyNumberOfThreads) {
  const SmallWorld flat = test::tissue({{90, 80, 1}, {true, true, false}, 2}, 5, 1);
  for (const int passes : {0, 1, 4})
    for (const int threads : {2, 3}) EXPECT_GT(expect_same_bits<2>(flat, {2, 2, 1}, passes, threads, 3), 0);
}

TEST(Bricks, WaitForLateMessages) {
  const SmallWorld w = test::tissue({{29, 26, 31}, {false, true, true}, 3}, 4, 4);
  for (const int passes : {0, 1, 4})
    EXPECT_GT(expect_same_bits<3>(w, {2, 1, 2}, passes, 1, 3,
                                  [](Exchange& inner) { return std::make_unique<test::Unreliable>(inner); }),
              0);
}

TEST(Bricks, KnowWhatLiesAroundThem) {
  SmallWorld flat = test::tissue({{61, 47, 1}, {true, false, false}, 2}, 4, 1);
  SmallWorld deep = test::tissue({{29, 26, 31}, {false, true, true}, 3}, 4, 4);
  const auto cut = [](SmallWorld& w, int passes, const Vec3i& bricks) {
    const tiles::Settings settings = tiles_settings(w, passes);
    return std::make_unique<BricksEngine>(w.state, w.physics(), settings, bricks,
                                          ranks_of_threads(w.state.lattice.dimension, 5, settings, 1));
  };
  const auto cut2 = cut(flat, 1, {3, 2, 1}), cut3 = cut(deep, 4, {2, 2, 2});
  for (int mcs = 0; mcs < 5 && !HasFatalFailure(); ++mcs) {
    cut2->advance(1);
    cut3->advance(1);
    test::expect_true_halos(*cut2, cut2->state());
    test::expect_true_halos(*cut3, cut3->state());
  }
}

// Bricks that store more than they need, with other cells' ids and the highest Act on all sites beyond their
// reach: whoever reads one of them comes to another result.
template <int Dim>
void expect_same_bits_with_poison(const SmallWorld& world, const Vec3i& bricks, int passes, int mcs) {
  SmallWorld w = world;
  const int reach = reach_of(w);
  const BrickGrid grid(w.state.lattice, bricks);
  const auto cells = cells_by_rank(w.state, grid, reach);
  const tiles::Settings settings = tiles_settings(w, passes);
  InProcess exchange(grid.ranks());
  std::vector<std::unique_ptr<BrickPlayer<Dim>>> players;
  int64_t poisoned = 0;
  for (int rank = 0; rank < grid.ranks(); ++rank) {
    TissuePart part = cut_out(w.state, grid, rank, reach + 2, cells[std::size_t(rank)], w.frozen());
    const Box own = part.brick.own_stored();
    for (Site site = 0; site < part.state.lattice.sites(); ++site) {
      const Vec3i place = part.state.lattice.position(site);
      int away = 0;
      for (int axis = 0; axis < 3; ++axis)
        away = std::max({away, own.low[axis] - place[axis], place[axis] - own.high[axis] + 1});
      if (away <= reach) continue;
      poisoned += 1;
      part.state.ids[std::size_t(site)] = CellId(1 + site * 7 % (part.state.cells.count() - 1));
      if (!part.state.act.empty()) part.state.act[std::size_t(site)] = ActValue(w.largest_act());
    }
    players.push_back(std::make_unique<BrickPlayer<Dim>>(std::move(part), exchange.of(rank),
                                                         holders_of(cells), w.physics(), 5, settings, 1));
  }
  EXPECT_GT(poisoned, 0);
  const Physics physics = w.physics();
  ThreadsEngine<Dim> whole(w.state, physics, 5, settings, 1);
  for (int m = 1; m <= mcs; ++m) {
    whole.advance(1);
    std::vector<std::thread> threads;
    for (const auto& player : players) threads.emplace_back([&] { player->advance(1); });
    for (std::thread& thread : threads) thread.join();
    State seen = whole.state();
    for (const auto& player : players) put_back(player->tissue(), seen);
    ASSERT_EQ(state_hash(seen), whole.hash()) << text(bricks) << ", " << passes << " passes, MCS " << m;
  }
}

TEST(Bricks, ReadNothingBeyondTheirReach) {
  for (const int passes : {0, 1, 4}) {
    expect_same_bits_with_poison<2>(test::tissue({{61, 47, 1}, {true, false, false}, 2}, 4, 1), {3, 2, 1},
                                    passes, 4);
    expect_same_bits_with_poison<3>(test::tissue({{29, 26, 31}, {false, true, true}, 3}, 4, 4), {2, 1, 2},
                                    passes, 3);
  }
}

// A lattice of 10^12 sites with more than 2^32 tiles. It is cut into a million bricks, and into two, and one
// of them is played.
TEST(Bricks, MayBePartsOfALatticeWithMoreThan32BitsOfTiles) {
  const Model model = read_model(test::models_folder() / "large/cubic-centimetre.toml");
  const tiles::Settings settings = tiles::settings_for(model);
  const tiles::Round round = tiles::round_at(model.lattice, settings, 5, 0);
  ASSERT_GT(round.tiles(), uint64_t(1) << 32);
  const Box cells{{5070, 5070, 9324}, {5082, 5082, 9336}};
  const MakeRank ranks = ranks_of_threads(3, 5, settings, 1);
  test::Islet one(model, {100, 100, 100}, cells, ranks), other(model, {125, 125, 125}, cells, ranks);
  ASSERT_FALSE(one.player->tissue().brick.origin == other.player->tissue().brick.origin);
  const std::map<Site, CellId> first = one.cells();
  for (int mcs = 0; mcs < 5; ++mcs) {
    one.player->advance(1);
    other.player->advance(1);
    ASSERT_EQ(one.cells(), other.cells()) << "MCS " << mcs;
  }
  EXPECT_NE(one.cells(), first);
  EXPECT_GT(one.player->counts().accepted, 500);
}

TEST(Bricks, AreCutByTheLeastSurface) {
  const Lattice cube{{64, 64, 64}, {true, true, true}, 3}, slab{{200, 200, 20}, {false, false, false}, 3};
  const Lattice flat{{100, 300, 1}, {true, true, false}, 2};
  EXPECT_EQ(bricks_text(brick_counts(cube, 2, 4), 3), "1x1x2");
  EXPECT_EQ(bricks_text(brick_counts(cube, 8, 4), 3), "1x2x4");  // as much as 2x2x2, and rows stay whole
  EXPECT_EQ(bricks_text(brick_counts({{64, 64, 64}, {false, false, false}, 3}, 8, 4), 3), "2x2x2");
  EXPECT_EQ(bricks_text(brick_counts(slab, 4, 4), 3), "2x2x1");
  EXPECT_EQ(bricks_text(brick_counts(flat, 3, 4), 2), "1x3");
  EXPECT_THROW(brick_counts(flat, 7919, 4), UserError);
}

TEST(Bricks, OwnEverySiteOnce) {
  for (const Vec3i& counts : {Vec3i{3, 2, 1}, Vec3i{5, 1, 4}}) {
    const BrickGrid grid({{17, 13, 11}, {true, false, true}, 3}, counts);
    std::vector<int> owned(std::size_t(grid.lattice().sites()), 0);
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const Box box = grid.brick(rank);
      for (int32_t z = box.low.z; z < box.high.z; ++z)
        for (int32_t y = box.low.y; y < box.high.y; ++y)
          for (int32_t x = box.low.x; x < box.high.x; ++x) {
            owned[std::size_t(grid.lattice().index({x, y, z}))] += 1;
            EXPECT_EQ(grid.owner_of({x, y, z}), rank);
          }
    }
    EXPECT_TRUE(std::all_of(owned.begin(), owned.end(), [](int n) { return n == 1; }));
  }
}

class ShippedModelInBricks : public testing::TestWithParam<std::string> {};

TEST_P(ShippedModelInBricks, HasTheBitsOfOnePieceAfterEveryMcs) {
  const Model model = test::shipped_model(GetParam());
  const int reach = longest_reach(model.adhesion_neighbours, model.perimeter_neighbours);
  const std::span<const Vec3i> cuts =
      model.lattice.dimension == 2 ? std::span<const Vec3i>(kCuts2D) : kCuts3D;
  std::vector<std::unique_ptr<Engine>> engines;
  engines.push_back(test::engine_for(model, {.engine = "threads", .threads = 1}));
  for (const Vec3i& cut : cuts)
    if (fits(model.lattice, cut, reach))
      engines.push_back(test::engine_for(
          model, {.engine = "threads", .threads = 1, .bricks = bricks_text(cut, model.lattice.dimension)}));
  EXPECT_GT(engines.size(), 1u);
  for (const Phase& phase : model.phases) {
    for (const auto& engine : engines) engine->set_physics(phase.physics.view());
    for (int mcs = 0; mcs < test::kAuditedMcs / 2; ++mcs) {
      for (const auto& engine : engines) {
        engine->advance(1);
        ASSERT_EQ(state_hash(engine->state()), state_hash(engines[0]->state()))
            << phase.name << ", MCS " << engine->state().mcs << ", engine " << &engine - engines.data();
      }
    }
  }
  for (const auto& engine : engines) EXPECT_EQ(engine->counts().accepted, engines[0]->counts().accepted);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedModelInBricks, testing::ValuesIn(test::shipped_models()),
                         test::test_name);
INSTANTIATE_TEST_SUITE_P(Living, ShippedModelInBricks, testing::ValuesIn(test::models_in("living/")),
                         test::test_name);

}  // namespace
}  // namespace kiln
