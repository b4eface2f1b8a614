// The `checkerboard` schedule: against a plain loop, for any number of threads, and its settings.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/error.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/host/bookkeeping.hpp"
#include "engine/host/checkerboard_engine.hpp"
#include "engine/host/world.hpp"
#include "model/file/read.hpp"
#include "support/full_world.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

using Barriers = CheckerboardSettings::Barriers;

constexpr CheckerboardSettings kAtomic{2, 4, 3, false, false}, kMutex{2, 4, 3, false, true},
    kRandom{2, 4, 3, true, false}, kSource{2, 4, 3, false, false, true},
    kDistantSource{1, 6, 1, false, false, true}, kPerRegion{2, 4, 3, false, true, false, Barriers::region},
    kNone{2, 4, 3, true, false, true, Barriers::none},
    kReplayed{2, 4, 4, true, false, false, Barriers::attempt, 2};

// Sides that blocks of 4 fit where the axis is periodic and do not fit where it is closed.
Lattice lattice_of(int dimension) {
  if (dimension == 2) return {{12, 13, 1}, {true, false, false}, 2};
  return {{8, 7, 8}, {true, false, true}, 3};
}

SmallWorld world_in(const Lattice& lattice, unsigned seed) {
  return seed % 3 == 0 ? test::everything_in(lattice, seed, 4, 5) : test::everything_in(lattice, seed);
}
SmallWorld world_of(int dimension, unsigned seed) { return world_in(lattice_of(dimension), seed); }

// The schedule in the plainest words: between two barriers every block in raster order, everything live.
template <int Dim>
class PlainCheckerboard {
 public:
  PlainCheckerboard(State& state, const Physics& physics, const CheckerboardSettings& settings, uint64_t seed)
      : state_(state), physics_(physics), settings_(settings), seed_(seed), reader_(state) {}

  void play_mcs() {
    const int side = settings_.per_thread;
    const uint64_t steps = uint64_t(Dim == 2 ? side * side : side * side * side);
    uint64_t mcs = uint64_t(state_.mcs);
    if (settings_.replayed_mcs > 0) {
      call_ = mcs / uint64_t(settings_.replayed_mcs);
      mcs = call_ * uint64_t(settings_.replayed_mcs);
      taken_.clear();
    }
    std::vector<uint64_t> together;
    for (uint64_t step = mcs * steps; step < (mcs + 1) * steps; ++step) {
      together.push_back(step);
      const bool switches = (step + 1) % uint64_t(settings_.switch_every) == 0;
      if (settings_.barriers == Barriers::attempt || (settings_.barriers == Barriers::region && switches)) {
        play(together);
        together.clear();
      }
    }
    play(together);
    finish_mcs(state_, physics_);
  }
  int64_t accepted() const { return accepted_; }

 private:
  Vec3i active_region(uint64_t step) const {
    const uint64_t per_side = uint64_t(settings_.per_thread / settings_.region);
    const uint64_t all = Dim == 2 ? per_side * per_side : per_side * per_side * per_side;
    const uint64_t turn = step / uint64_t(settings_.switch_every);
    const uint64_t region =
        settings_.random_order
            ? Digits{draw(seed_, Stream::checkerboard_regions, turn, 0).ab()}.take(uint32_t(all))
            : turn % all;
    return Vec3i{int32_t(region % per_side), int32_t(region / per_side % per_side),
                 int32_t(region / (per_side * per_side))} *
           settings_.region;
  }

  void play(const std::vector<uint64_t>& steps) {
    std::set<CellId> changed;
    uint32_t block = 0;
    const Vec3i& size = state_.lattice.size;
    const int side = settings_.per_thread;
    for (int32_t z = 0; z < size.z; z += side)
      for (int32_t y = 0; y < size.y; y += side)
        for (int32_t x = 0; x < size.x; x += side, ++block)
          for (const uint64_t step : steps) {
            const uint64_t bits =
                settings_.replayed_mcs > 0 ? next_number(block) : checkerboard::bits_for(seed_, step, block);
            const auto a = checkerboard::attempt_of<Dim>(bits, settings_.region);
            attempt(block, Vec3i{x, y, z} + active_region(step) + a.drawn, a, changed);
          }
  }

  // Every block has a stream of its own that begins anew with every MCS.
  uint64_t next_number(uint32_t block) {
    return draw(seed_, Stream::checkerboard_replayed, call_ << 32 | block, taken_[block]++).ab();
  }

  void attempt(uint32_t block, const Vec3i& drawn, const checkerboard::Attempt& a,
               std::set<CellId>& changed) {
    const Lattice& lattice = state_.lattice;
    for (int axis = 0; axis < 3; ++axis)
      if (drawn[axis] >= lattice.size[axis]) return;
    Vec3i target = drawn, source = drawn;
    const Vec3i offset = Moore<Dim>::offset(a.direction);
    if (!test::naive_place(lattice, drawn, settings_.draws_source ? offset * -1 : offset,
                           settings_.draws_source ? target : source))
      return;
    const CellId loser = state_.ids[std::size_t(lattice.index(target))];
    CellId winner = state_.ids[std::size_t(lattice.index(source))];
    const auto type_of = [&](CellId cell) { return state_.cells.type[cell]; };
    if (physics_.types[type_of(loser)].frozen) return;
    if (physics_.types[type_of(winner)].frozen) winner = kMedium;
    if (winner == loser) return;
    const Copy copy{winner, loser, type_of(winner), type_of(loser), source, offset * -1};
    const typename HostWorld<Dim>::Place at{lattice.index(target), target, false},
        from{lattice.index(source), source, false};
    typename HostWorld<Dim>::Scratch scratch;
    HostWorld<Dim> world(reader_, physics_, copy, at, from, scratch);
    CopyChange change;
    const auto accepted = [&](float threshold) {
      return accepts<Dim>(physics_, world, copy, threshold, change);
    };
    if (settings_.replayed_mcs == 0) {
      if (!accepted(acceptance_threshold(physics_.temperature, a.threshold_bits))) return;
    } else if (!accepted(0)) {
      if (!accepted(INFINITY)) return;  // a hard rule forbids it
      if (!accepted(acceptance_threshold(physics_.temperature, uint32_t(next_number(block))))) return;
    }
    if (settings_.mutex && (changed.count(winner) > 0 || changed.count(loser) > 0)) return;
    for (const CellId cell : {winner, loser})
      if (cell != kMedium) changed.insert(cell);
    apply_copy<Dim>(state_, physics_, copy, lattice.index(target), target, change);
    accepted_ += 1;
  }

  State& state_;
  Physics physics_;
  CheckerboardSettings settings_;
  uint64_t seed_;
  StateReader<Dim> reader_;
  uint64_t call_ = 0;
  std::map<uint32_t, uint32_t> taken_;
  int64_t accepted_ = 0;
};

template <int Dim>
void check_against_plain(const CheckerboardSettings& settings, const Lattice& lattice = lattice_of(Dim)) {
  int64_t accepted = 0;
  for (unsigned seed = 0; seed < 12; ++seed) {
    SmallWorld w = world_in(lattice, seed);
    const Physics physics = w.physics();
    CheckerboardEngine<Dim> engine(w.state, physics, seed, settings, 1);
    PlainCheckerboard<Dim> plain(w.state, physics, settings, seed);
    for (int mcs = 0; mcs < 5; ++mcs) {
      engine.advance(1);
      plain.play_mcs();
      ASSERT_EQ(audit(engine.state(), w.perimeter_neighbours, w.frozen()), "") << seed << ", MCS " << mcs;
      ASSERT_EQ(state_hash(engine.state()), state_hash(w.state)) << seed << ", MCS " << mcs;
    }
    EXPECT_EQ(engine.counts().accepted, plain.accepted());
    accepted += plain.accepted();
  }
  EXPECT_GT(accepted, 500);
}
TEST(Checkerboard, IsThePlainLoopBitForBit2D) {
  check_against_plain<2>(kAtomic);
  check_against_plain<2>(kRandom);
}
TEST(Checkerboard, IsThePlainLoopBitForBit3D) {
  check_against_plain<3>(kAtomic);
  check_against_plain<3>(kRandom);
}
TEST(Checkerboard, MutexIsThePlainLoopBitForBit) {
  check_against_plain<2>(kMutex);
  check_against_plain<3>(kMutex);
}
// Targets of neighbouring blocks may touch in the first, and never do in the second.
TEST(Checkerboard, DrawnSourcesArePlayedAsInThePlainLoop) {
  check_against_plain<2>(kSource);
  check_against_plain<3>(kSource);
  check_against_plain<2>(kDistantSource, {{12, 13, 1}, {true, false, false}, 2});
  check_against_plain<3>(kDistantSource, {{12, 7, 6}, {true, false, true}, 3});
}
TEST(Checkerboard, FewerBarriersArePlayedAsInThePlainLoop) {
  check_against_plain<2>(kPerRegion);
  check_against_plain<3>(kPerRegion);
  check_against_plain<2>(kNone);
  check_against_plain<3>(kNone);
}
TEST(Checkerboard, ReplayedRandomNumbersAreThoseOfThePlainLoop) {
  check_against_plain<2>(kReplayed);
  check_against_plain<3>(kReplayed);
}

TEST(Checkerboard, ThreadsDoNotMatter) {
  for (const CheckerboardSettings& settings : {kAtomic, kMutex, kSource}) {
    const Lattice lattice{{256, 253, 1}, {true, false, false}, 2};  // 4096 blocks: enough for 4 threads
    SmallWorld w = test::everything_in(lattice, 7);
    const Physics physics = w.physics();
    std::set<std::string> hashes;
    std::set<int64_t> attempts;
    for (const int threads : {1, 2, 3, 4}) {
      CheckerboardEngine<2> engine(w.state, physics, 11, settings, threads);
      engine.advance(3);
      hashes.insert(state_hash(engine.state()));
      attempts.insert(engine.counts().attempts);
      EXPECT_GT(engine.counts().accepted, 100);
    }
    EXPECT_EQ(hashes.size(), 1u);
    EXPECT_EQ(attempts.size(), 1u);
  }
}

TEST(Checkerboard, AStateIsAllThatIsNeededToGoOn) {
  const CheckerboardSettings settings{2, 4, 5, true, true};  // 64 steps per MCS: no multiple of 5
  SmallWorld w = world_of(3, 5);
  const Physics physics = w.physics();
  CheckerboardEngine<3> whole(w.state, physics, 9, settings, 1), first(w.state, physics, 9, settings, 1);
  whole.advance(7);
  first.advance(3);
  CheckerboardEngine<3> second(first.state(), physics, 9, settings, 1);
  second.advance(4);
  EXPECT_EQ(state_hash(second.state()), state_hash(whole.state()));
}

// One cell and much medium, and every attempt between the two succeeds. Each accepted copy changes the cell,
// so with mutex there is at most one per step: 16 in an MCS, where atomic has hundreds.
TEST(Checkerboard, MutexAcceptsOneCopyPerCellBetweenBarriers) {
  SmallWorld w;
  w.state.lattice = {{40, 40, 1}, {true, true, false}, 2};
  w.state.ids = HugeVector<CellId>(1600);
  w.state.cells.add(0);
  w.state.cells.add(1);
  for (std::size_t i = 0; i < 1600; ++i) w.state.ids[i] = i % 2;  // stripes: 6 of 8 neighbours differ
  w.types.resize(2);
  w.j.assign(4, 0.0);
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  w.recount();
  const Physics physics = w.physics();
  CheckerboardEngine<2> mutex(w.state, physics, 1, kMutex, 1), atomic(w.state, physics, 1, kAtomic, 1);
  for (int mcs = 1; mcs <= 5; ++mcs) {
    mutex.advance(1);
    EXPECT_EQ(mutex.counts().accepted, 16 * mcs);
  }
  atomic.advance(1);
  EXPECT_EQ(atomic.counts().accepted, atomic.counts().live);
  EXPECT_GT(atomic.counts().accepted, 400);
}

// Attempts per site over 2400 MCS on a lattice whose last blocks a wall cuts; places beyond the wall count,
// too. Every region is active in 9600 steps and each of its 4 sites is hit 2400 times on average: chi squared
// has 48 regions x 3 degrees of freedom, and lies outside [89, 216] with a probability of 2e-4.
TEST(Checkerboard, TriesEverySiteEquallyOften) {
  const Lattice lattice{{11, 13, 1}, {false, false, false}, 2}, whole{{12, 16, 1}, {}, 2};
  const checkerboard::Plan plan(lattice, kAtomic, 3);
  EXPECT_EQ(plan.blocks(), (Vec3i{3, 4, 1}));
  EXPECT_EQ(plan.steps_per_mcs(), 16u);
  std::vector<int> hits(std::size_t(whole.sites()));
  for (uint64_t step = 0; step < 2400 * plan.steps_per_mcs(); ++step)
    for (uint32_t block = 0; block < plan.block_count(); ++block) {
      const auto a = checkerboard::attempt_of<2>(checkerboard::bits_for(3, step, block), 2);
      const Vec3i target = plan.corner_of(block) + plan.active_region(step) + a.drawn;
      hits[std::size_t(whole.index(target))] += 1;
    }
  double chi_squared = 0;
  for (const int h : hits) chi_squared += (h - 2400.0) * (h - 2400.0) / 2400;
  EXPECT_LT(chi_squared, 216);
  EXPECT_GT(chi_squared, 89);
}

// The engine's own count on that lattice: 143 sites of 192 places, each attempt inside with that probability.
// Regions keep their turns, so the variance is at most the binomial one; 4 sd: a false alarm in 16,000 runs.
TEST(Checkerboard, MakesOneAttemptPerSiteAndMcs) {
  SmallWorld w = test::everything_in({{11, 13, 1}, {false, false, false}, 2}, 1);
  const Physics physics = w.physics();
  CheckerboardEngine<2> engine(w.state, physics, 5, kAtomic, 1);
  engine.advance(300);
  const double mean = 300.0 * 143, variance = 300.0 * 192 * (143.0 / 192) * (49.0 / 192);
  EXPECT_NEAR(double(engine.counts().attempts), mean, 4 * std::sqrt(variance));
  EXPECT_NE(engine.counts().attempts, 300 * 192);
}

TEST(Checkerboard, RegionsTakeTurns) {
  const checkerboard::Plan plan({{8, 8, 8}, {true, true, true}, 3}, {2, 4, 3, false, false}, 1);
  EXPECT_EQ(plan.active_region(0), (Vec3i{0, 0, 0}));
  EXPECT_EQ(plan.active_region(2), (Vec3i{0, 0, 0}));
  EXPECT_EQ(plan.active_region(3), (Vec3i{2, 0, 0}));
  EXPECT_EQ(plan.active_region(7 * 3), (Vec3i{2, 2, 2}));
  EXPECT_EQ(plan.active_region(8 * 3), (Vec3i{0, 0, 0}));
  EXPECT_EQ(plan.steps_until_switch(3), 3u);
  EXPECT_EQ(plan.steps_until_switch(5), 1u);
}

// Two MCS have the same turns of regions at random, and the next two others.
TEST(Checkerboard, ReplaysRandomNumbersWhereItIsAskedTo) {
  const Lattice lattice{{8, 8, 1}, {true, true, false}, 2};
  const checkerboard::Plan plan(lattice, kReplayed, 7);
  std::vector<uint64_t> calls;
  for (const uint64_t mcs : {0, 1, 2, 3}) calls.push_back(plan.call_of(16 * mcs + 15));
  EXPECT_EQ(calls, (std::vector<uint64_t>{0, 0, 1, 1}));
  for (uint64_t i = 0; i < 16; ++i) EXPECT_EQ(plan.active_region(i), plan.active_region(16 + i)) << i;
  const auto differ = [&](uint64_t i) { return plan.active_region(i) != plan.active_region(32 + i); };
  int others = 0;
  for (uint64_t i = 0; i < 16; ++i) others += differ(i) ? 1 : 0;
  EXPECT_GT(others, 0);
}

TEST(Checkerboard, KnowsWhenAttemptsMayMeet) {
  const Lattice lattice{{48, 48, 1}, {true, true, false}, 2};
  const auto meet = [&](int region, int per_thread, bool source, Barriers barriers) {
    return checkerboard::Plan(lattice, {region, per_thread, 1, false, false, source, barriers}, 1)
        .attempts_may_meet(2);
  };
  EXPECT_FALSE(meet(2, 4, false, Barriers::attempt));
  EXPECT_FALSE(meet(2, 4, false, Barriers::region));
  EXPECT_TRUE(meet(2, 4, false, Barriers::none));
  EXPECT_TRUE(meet(2, 4, true, Barriers::attempt));
  EXPECT_TRUE(meet(1, 4, true, Barriers::attempt));
  EXPECT_FALSE(meet(4, 8, true, Barriers::attempt));
  EXPECT_FALSE(meet(8, 16, true, Barriers::region));
}

std::string message_of(const std::string& text, const EngineOptions& options) {
  const Model model = parse_model(text, "m.toml", "");
  try {
    make_engine(model, model.phases[0].physics.view(), initial_state(model), options);
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST(Checkerboard, SaysWhichSideDoesNotFit) {
  EngineOptions options;
  options.engine = "threads";
  options.schedule = "checkerboard";
  EXPECT_EQ(message_of("lattice.size = [64, 60]", options),
            "m.toml: lattice.size is 60 along y, but with --schedule checkerboard a periodic side must be a "
            "multiple of schedule.checkerboard.per_thread (8), such as 56 or 64.");
  EXPECT_EQ(message_of("lattice.size = [5, 64, 64]", options),
            "m.toml: lattice.size is 5 along x, but with --schedule checkerboard a periodic side must be a "
            "multiple of schedule.checkerboard.per_thread (8), such as 8.");
  EXPECT_EQ(message_of("lattice = { size = [64, 60], boundary = \"closed\" }", options), "(no error)");
  EXPECT_EQ(
      message_of("lattice.size = [64, 60]\nschedule.checkerboard = { region = 2, per_thread = 4 }", options),
      "(no error)");
  options.engine = "serial";
  EXPECT_EQ(message_of("lattice.size = [64, 64]", options),
            "--schedule is \"checkerboard\", but the serial engine plays only serial.");
}

}  // namespace
}  // namespace kiln
