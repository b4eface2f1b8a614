// The `tiles` schedule on threads: against its plain description, for any number of threads, on lattices of
// all shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "engine/host/threads.hpp"
#include "support/full_world.hpp"
#include "support/naive_tiles.hpp"
#include "support/tiles_worlds.hpp"

namespace kiln {
namespace {

using test::NaiveTiles;
using test::SmallWorld;
using test::tiles_settings;

void expect_same(const AttemptCounts& a, const AttemptCounts& b) {
  EXPECT_EQ(a.attempts, b.attempts);
  EXPECT_EQ(a.live, b.live);
  EXPECT_EQ(a.accepted, b.accepted);
}

// After every MCS: the hash of the plain description, and tables that equal a recount. Gives back how many
// copies were made.
template <int Dim>
int64_t check_against_naive(const SmallWorld& world, uint64_t seed, const tiles::Settings& settings,
                            int threads, int mcs) {
  SmallWorld w = world, naive_world = world;
  NaiveTiles<Dim> naive(naive_world, seed, settings);
  ThreadsEngine<Dim> engine(w.state, w.physics(), seed, settings, threads);
  for (int m = 1; m <= mcs; ++m) {
    naive.advance();
    engine.advance(1);
    EXPECT_EQ(audit(engine.state(), w.perimeter_neighbours, w.frozen()), "") << "MCS " << m;
    EXPECT_EQ(state_hash(engine.state()), state_hash(naive_world.state)) << "MCS " << m;
    if (testing::Test::HasFailure()) return 0;
  }
  expect_same(engine.counts(), naive.counts());
  return engine.counts().accepted;
}

template <int Dim>
void check_random_worlds() {
  constexpr int kPasses[] = {0, 1, 2, 4};
  int64_t accepted = 0;
  for (unsigned seed = 0; seed < 24; ++seed) {
    const SmallWorld w = test::everything(Dim, seed);
    for (const int passes : kPasses) {
      SCOPED_TRACE(testing::Message() << "world " << seed << ", " << passes << " passes");
      const int threads = seed % 6 == 0 ? 3 : 1;
      accepted += check_against_naive<Dim>(w, seed, tiles_settings(w, passes), threads, 4);
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(accepted, 1000);
}
TEST(Tiles, AreAsDescribed2D) { check_random_worlds<2>(); }
TEST(Tiles, AreAsDescribed3D) { check_random_worlds<3>(); }

// Odd, thin, shorter than a tile, closed on some axes; neighbours up to three sites away.
TEST(Tiles, FitLatticesOfAllShapes) {
  for (const test::Shape& shape : test::awkward_shapes()) {
    SCOPED_TRACE(shape.text());
    const SmallWorld w = test::everything_in(shape.lattice, 7, shape.order, shape.order);
    const tiles::Settings settings = tiles_settings(w, 0);
    const auto check = shape.lattice.dimension == 2 ? check_against_naive<2> : check_against_naive<3>;
    check(w, 5, settings, 1, 6);
    check(w, 6, settings, 2, 1);
    if (HasFailure()) return;
  }
}

// More tiles than a thread takes at a time, and not a whole number of groups of draws.
TEST(Tiles, AreAsDescribedOnLargerLattices) {
  const SmallWorld flat = test::tissue({{130, 97, 1}, {true, false, false}, 2}, 5, 1);
  const SmallWorld deep = test::tissue({{31, 34, 37}, {false, true, true}, 3}, 4, 4);
  EXPECT_GT(check_against_naive<2>(flat, 3, tiles_settings(flat, 0), 3, 2), 100);
  EXPECT_GT(check_against_naive<3>(deep, 3, tiles_settings(deep, 0), 3, 2), 100);
}

// Every site is a cell of its own, so nearly every attempt of a round has claims of its own.
TEST(Tiles, TakeAnyNumberOfCells) {
  const SmallWorld flat = test::tissue({{45, 41, 1}, {true, true, false}, 2}, 1, 2);
  const SmallWorld deep = test::tissue({{14, 13, 11}, {true, false, true}, 3}, 1, 3);
  EXPECT_GT(check_against_naive<2>(flat, 3, tiles_settings(flat, 0), 2, 4), 1000);
  EXPECT_GT(check_against_naive<3>(deep, 3, tiles_settings(deep, 0), 2, 4), 300);
}

template <int Dim>
void check_thread_counts(const SmallWorld& world) {
  for (const int passes : {0, 1, 2, 4}) {
    SmallWorld w = world;
    const tiles::Settings settings = tiles_settings(w, passes);
    ThreadsEngine<Dim> alone(w.state, w.physics(), 11, settings, 1);
    alone.advance(2);
    EXPECT_GT(alone.counts().accepted, 0);
    for (const int threads : {2, 3, 16}) {
      ThreadsEngine<Dim> team(w.state, w.physics(), 11, settings, threads);
      team.advance(2);
      EXPECT_EQ(state_hash(team.state()), state_hash(alone.state())) << threads << " threads, " << passes;
      expect_same(team.counts(), alone.counts());
    }
  }
}
TEST(Tiles, DoNotDependOnTheNumberOfThreads) {
  check_thread_counts<2>(test::tissue({{230, 197, 1}, {true, false, false}, 2}, 5, 1));
  check_thread_counts<3>(test::tissue({{47, 35, 36}, {false, true, true}, 3}, 4, 4));
  check_thread_counts<3>(test::tissue({{16, 17, 18}, {true, true, true}, 3}, 1, 5));
}

// One round has the outcome of its attempts made one after the other: in the order of their passes, and of
// their priorities within a pass, each gets the verdict that the lattice gives it at its turn.
template <int Dim>
void check_serial_execution() {
  int64_t later_passes = 0, refused_later = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    SmallWorld w = test::everything(Dim, seed);
    NaiveTiles<Dim> naive(w, seed, tiles_settings(w, 0));
    for (int mcs = 0; mcs < 3; ++mcs) {
      for (uint64_t r = naive.rounds_after(mcs); r < naive.rounds_after(mcs + 1); ++r) {
        SmallWorld one_by_one = w;
        const Physics physics = one_by_one.physics();
        naive.play_round(r);
        auto order = naive.last_round();
        std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
          return std::pair(a.pass, a.attempt.priority) < std::pair(b.pass, b.attempt.priority);
        });
        for (const auto& s : order) {
          ASSERT_EQ(test::accepts_naively<Dim>(one_by_one, physics, s.attempt), s.accepted)
              << "world " << seed << ", round " << r << ", pass " << s.pass;
          if (s.accepted) test::carry_out_naively(one_by_one, s.attempt);
          test::recount_naively(one_by_one);
          later_passes += s.pass > 1;
          refused_later += s.pass > 1 && !s.accepted;
        }
        ASSERT_EQ(state_hash(one_by_one.state), state_hash(w.state)) << "world " << seed << ", round " << r;
      }
      naive.finish();
    }
  }
  EXPECT_GT(later_passes, 100);
  EXPECT_GT(refused_later, 10);
}
TEST(Tiles, ARoundIsASerialExecution2D) { check_serial_execution<2>(); }
TEST(Tiles, ARoundIsASerialExecution3D) { check_serial_execution<3>(); }

// Stopping between any two MCS and going on from the state alone gives the same bits.
TEST(Tiles, AStateIsAllThatIsNeededToGoOn) {
  SmallWorld w = test::everything(3, 5);
  const Physics physics = w.physics();
  for (const int passes : {0, 2}) {
    const tiles::Settings settings = tiles_settings(w, passes);
    ThreadsEngine<3> whole(w.state, physics, 9, settings, 1);
    whole.advance(9);
    ThreadsEngine<3> first(w.state, physics, 9, settings, 1);
    first.advance(7);
    ThreadsEngine<3> second(first.state(), physics, 9, settings, 2);
    second.advance(2);
    EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
    EXPECT_EQ(second.state().cells.history, whole.state().cells.history);
  }
}

TEST(Tiles, PhysicsMayChangeBetweenMcs) {
  SmallWorld naive_world = test::everything(2, 6), w = naive_world, hot = test::hotter(w);
  const tiles::Settings settings = tiles_settings(w, 0);
  NaiveTiles<2> naive(naive_world, 3, settings);
  ThreadsEngine<2> engine(w.state, w.physics(), 3, settings, 2),
      unchanged(w.state, w.physics(), 3, settings, 1);
  engine.advance(3);
  engine.set_physics(hot.physics());
  engine.advance(3);
  unchanged.advance(6);
  for (int mcs = 0; mcs < 3; ++mcs) naive.advance();
  naive_world.types = hot.types;
  naive_world.j = hot.j;
  naive_world.temperature = hot.temperature;
  for (int mcs = 0; mcs < 3; ++mcs) naive.advance();
  EXPECT_EQ(state_hash(engine.state()), state_hash(naive_world.state));
  EXPECT_NE(state_hash(engine.state()), state_hash(unchanged.state()));
}

// Far enough apart that no attempt sees another's target, along at least one axis.
TEST(TileRounds, TargetsKeepTheirDistance) {
  for (const test::Shape& shape : test::awkward_shapes())
    for (const int passes : {0, 1}) {
      const Lattice& l = shape.lattice;
      const tiles::Settings settings =
          tiles_settings(test::everything_in(l, 1, shape.order, shape.order), passes);
      for (uint64_t number = 0; number < 60; ++number) {
        const std::vector<Vec3i> targets = test::targets_of(l, tiles::round_at(l, settings, 8, number));
        for (std::size_t a = 0; a < targets.size(); ++a)
          for (std::size_t b = 0; b < a; ++b) {
            int apart = 0;
            for (int axis = 0; axis < l.dimension; ++axis) {
              const int d = std::abs(targets[a][axis] - targets[b][axis]);
              apart = std::max(apart, l.periodic[axis] ? std::min(d, l.size[axis] - d) : d);
            }
            ASSERT_GE(apart, settings.apart) << shape.text() << ", round " << number;
          }
      }
    }
}

// A site is a target in a round or not, independently of other rounds, and with the same probability as every
// other: six standard deviations are exceeded once in a million runs of this test.
TEST(TileRounds, EverySiteIsATargetEquallyOften) {
  constexpr int kRounds = 3000;
  const Lattice lattices[] = {{{9, 9, 1}, {true, true, false}, 2},   {{7, 11, 1}, {true, true, false}, 2},
                              {{8, 5, 1}, {false, false, false}, 2}, {{10, 4, 1}, {true, false, false}, 2},
                              {{5, 4, 7}, {true, true, true}, 3},    {{2, 5, 4}, {false, true, false}, 3},
                              {{1, 4, 4}, {false, false, true}, 3}};
  for (const Lattice& l : lattices)
    for (const tiles::Settings& settings :
         {tiles::Settings{{2, 3, 3}, 2, 1}, {{3, 3, 3}, 3, 0}, {{4, 4, 4}, 2, 0}}) {
      SCOPED_TRACE(testing::Message() << l.size.x << " x " << l.size.y << " x " << l.size.z << " / "
                                      << settings.tile.x << " x " << settings.tile.y);
      double probability = 1;
      for (int axis = 0; axis < l.dimension; ++axis)
        probability *= l.periodic[axis] ? double(l.size[axis] / settings.tile[axis]) / l.size[axis]
                                        : 1.0 / settings.tile[axis];
      std::vector<int> tries(std::size_t(l.sites()), 0);
      for (uint64_t number = 0; number < kRounds; ++number)
        for (const Vec3i& t : test::targets_of(l, tiles::round_at(l, settings, 21, number)))
          tries[std::size_t(l.index(t))] += 1;
      const double mean = kRounds * probability, sd = std::sqrt(mean * (1 - probability));
      for (std::size_t site = 0; site < tries.size(); ++site)
        EXPECT_NEAR(tries[site], mean, 6 * sd) << "site " << site;
    }
}

// Rows of targets are not in step: along x any phase is as likely, along y what keeps them apart.
TEST(TileRounds, RowsAreDisplacedEachForItself) {
  const Lattice l{{60, 60, 60}, {true, true, true}, 3};
  const tiles::Settings settings{{3, 4, 4}, 2, 1};
  const tiles::Round round = tiles::round_at(l, settings, 5, 0);
  std::map<int, int> x, y, z;
  for (uint32_t k = 0; k < uint32_t(round.count.z); ++k)
    for (uint32_t j = 0; j < uint32_t(round.count.y); ++j) {
      const tiles::Row row = round.row_at(l, j, k);
      x[row.first.x % 3] += 1;
      y[(row.first.y - round.shift.y + 60) % 4] += 1;
      z[(row.first.z - round.shift.z + 60) % 4] += 1;
    }
  // 225 rows, a third of them each: six standard deviations of 7.
  for (const auto& phases : {x, y, z}) {
    ASSERT_EQ(phases.size(), 3u);
    for (const auto& [phase, rows] : phases) EXPECT_NEAR(rows, 75, 42);
  }
}

TEST(TileClock, GivesEverySiteOneAttemptPerMcs) {
  // 10 x 10: 9 tiles a round, so 100 rounds are 9 MCS.
  const tiles::Clock even({{10, 10, 1}, {true, true, false}, 2}, {3, 3, 3});
  EXPECT_EQ(even.rounds_after(0), 0u);
  EXPECT_EQ(even.rounds_after(1), 11u);  // 11.1
  EXPECT_EQ(even.rounds_after(8), 88u);  // 88.9
  EXPECT_EQ(even.rounds_after(9), 100u);
  // Along a closed axis one site in three: 9 rounds, whatever the lengths.
  EXPECT_EQ(tiles::Clock({{7, 5, 1}, {false, false, false}, 2}, {3, 3, 3}).rounds_after(4), 36u);
  // 7 sites hold 2 tiles: 7 * 3 / 2 rounds.
  const tiles::Clock mixed({{7, 5, 1}, {true, false, false}, 2}, {3, 3, 3});
  EXPECT_EQ(mixed.rounds_after(1), 10u);
  EXPECT_EQ(mixed.rounds_after(2), 21u);
  EXPECT_EQ(tiles::Clock({{9, 8, 5}, {true, true, false}, 3}, {4, 4, 4}).rounds_after(3),
            3u * 9 * 8 * 4 / (2 * 2));
  // Sizes without a common factor, for a long time: 1013 / 337, 1019 / 339 and 1021 / 340 rounds per axis.
  const tiles::Clock odd({{1013, 1019, 1021}, {true, true, true}, 3}, {3, 3, 3});
  const auto sites = static_cast<unsigned __int128>(1013 * 1019) * 1021;
  const int64_t mcs = 123'456'789'012;
  EXPECT_EQ(odd.rounds_after(mcs), uint64_t(sites * uint64_t(mcs) / (337 * 339 * 340)));
}

// Where all axes are periodic every round has equally many tiles, and whole numbers of MCS come out exactly.
TEST(TileClock, CountsAttemptsExactly) {
  SmallWorld w = test::everything_in({{10, 10, 1}, {true, true, false}, 2}, 3);
  ThreadsEngine<2> engine(w.state, w.physics(), 3, tiles_settings(w, 0), 1);
  engine.advance(1);
  EXPECT_EQ(engine.counts().attempts, 16 * 6);
  engine.advance(17);
  EXPECT_EQ(engine.counts().attempts, 18 * 100);
}

// Between walls rounds differ: with 11 x 7 sites 1 or 2 rows of 3 or 4 targets. Their numbers have a variance
// of less than 4 per round, so the mean of 12 x 400 rounds stays within 5 standard deviations but for one
// seed in a million.
TEST(TileClock, CountsAttemptsOnAverageBetweenWalls) {
  SmallWorld w = test::everything_in({{11, 7, 1}, {false, false, false}, 2}, 3);
  ThreadsEngine<2> engine(w.state, w.physics(), 3, tiles_settings(w, 0), 1);
  engine.advance(400);
  EXPECT_NEAR(double(engine.counts().attempts), 400.0 * 77, 5 * std::sqrt(12 * 400 * 4.0));
}

}  // namespace
}  // namespace kiln
