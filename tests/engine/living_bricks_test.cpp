// Living tissue cut into bricks: the bits of one piece after every MCS, however it is cut.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/ranks/brick_player.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "support/bricks.hpp"
#include "support/living_worlds.hpp"
#include "support/played.hpp"

namespace kiln {
namespace {

using test::Played;

struct World {
  const char* name;
  std::string text;
  std::vector<std::string> cuts;
  int mcs;
  CellId births;  // more than so many
};

void PrintTo(const World& world, std::ostream* out) { *out << world.name; }

Played in_bricks(const Model& model, State state, const std::string& bricks, int threads = 1) {
  return {model, std::move(state), "threads", threads, "", bricks};
}

class LivingBricks : public testing::TestWithParam<World> {};

// Cut in every way; and cut anew at every MCS, so that cells come to ranks that have never heard of them.
TEST_P(LivingBricks, HaveTheBitsOfOnePiece) {
  const World& world = GetParam();
  Played whole(world.text, "threads", 1);
  std::vector<Played> cut;
  for (const std::string& bricks : world.cuts) cut.push_back(in_bricks(whole.model, whole.first, bricks));
  Played again = in_bricks(whole.model, whole.first, world.cuts.front());
  for (int mcs = 1; mcs <= world.mcs && !HasFailure(); ++mcs) {
    whole.play(1);
    for (std::size_t i = 0; i < cut.size(); ++i) {
      cut[i].play(1);
      EXPECT_EQ(cut[i].hash(), whole.hash()) << world.cuts[i] << ", in parts, MCS " << mcs;
      EXPECT_EQ(state_hash(cut[i].state()), whole.hash()) << world.cuts[i] << ", MCS " << mcs;
      EXPECT_EQ(cut[i].books(), "") << world.cuts[i] << ", MCS " << mcs;
    }
    again.play(1);
    EXPECT_EQ(again.hash(), whole.hash()) << "cut anew, MCS " << mcs;
    const std::string& next = world.cuts[std::size_t(mcs) % world.cuts.size()];
    again = in_bricks(whole.model, State(again.state()), next, 1 + mcs % 2 * 7);
  }
  EXPECT_GT(whole.cells().count(), whole.first.cells.count() + world.births);
}

INSTANTIATE_TEST_SUITE_P(
    Of, LivingBricks,
    testing::Values(World{"colony2d", test::colony("[60, 40]"), {"2x1", "1x3", "3x2"}, 150, 5},
                    World{"colony3d", test::colony("[20, 24, 16]"), {"1x1x2", "2x2x1", "2x2x2"}, 150, 5},
                    World{"tissue2d", test::kFlat, {"2x1", "1x3", "3x2"}, 200, 1},
                    World{"tissue3d", test::kSolid, {"1x1x2", "2x2x1", "2x1x2"}, 200, 9},
                    World{"curious2d", test::curious("[44, 36]"), {"2x1", "1x3", "3x2"}, 120, 9},
                    World{"curious3d", test::curious("[20, 16, 12]"), {"1x1x2", "2x2x1", "2x1x2"}, 120, 9}),
    [](const auto& world) { return std::string(world.param.name); });

// Whoever knows a cell knows the same of it, after every tick, whatever its messages meet on their way.
TEST(LivingBricks, KnowTheSameOfWhatTheyShare) {
  for (const std::string& text : {test::colony("[60, 40]"), test::curious("[20, 16, 12]")}) {
    Played whole(text, "threads", 1);
    const Model& model = whole.model;
    const tiles::Settings settings = tiles::settings_for(model);
    const int dimension = model.lattice.dimension;
    BricksEngine cut(whole.first, model.phases.front().physics.view(), settings,
                     dimension == 2 ? Vec3i{3, 2, 1} : Vec3i{2, 1, 2},
                     ranks_of_threads(dimension, model.seed, settings, 2, &model),
                     [](Exchange& inner) { return std::make_unique<test::Unreliable>(inner); });
    for (int mcs = 1; mcs <= 100 && !HasFatalFailure(); ++mcs) {
      whole.play(1);
      cut.advance(1);
      test::expect_true_halos(cut, whole.state());
    }
    EXPECT_GT(whole.cells().count(), whole.first.cells.count());
    EXPECT_GT(cut.traffic().living, 0);
    EXPECT_EQ(cut.traffic().substances > 0, !model.substances.empty());
  }
}

// Each of a thousand cells becomes two at once, all over the lattice; then a thousand die at once.
TEST(LivingBricks, BearAndLoseManyAtOnce) {
  const std::string text = R"toml(
seed = 2
temperature = 1
[lattice]
size = [128, 128]
[types.cell]
volume = { target = 16, lambda = 5 }
properties.n = 0
[adhesion]
default = 1
[[initial]]
box = 4
type = "cell"
[[rules]]
types = "cell"
when = "generation == 0"
do = "divide"
[[rules]]
types = "cell"
when = "time >= 3 and generation > 0 and x < 64"
do = "die"
how = "remove"
)toml";
  Played whole(text, "threads", 1), cut = in_bricks(whole.model, whole.first, "3x2");
  for (int mcs = 1; mcs <= 6; ++mcs) {
    whole.play(1);
    cut.play(1);
    ASSERT_EQ(cut.hash(), whole.hash()) << "MCS " << mcs;
    ASSERT_EQ(cut.books(), "") << "MCS " << mcs;
  }
  EXPECT_GE(whole.cells().count(), 3 * 1024u);
  EXPECT_LT(whole.alive(), 2 * 1024);
}

// A sentence, from whichever brick, and nothing hangs.
TEST(LivingBricks, SayWhichCellHasNoNumber) {
  for (const char* rest : {"growth = { rate = \"1 / (age - 3)\" }", "properties.p = 1\nequations.p = \"p / (p - p)\""}) {
    const std::string text = "seed = 3\ntemperature = 1\n[lattice]\nsize = [40, 40]\n[types.cell]\n" +
                             std::string("volume = { target = 64, lambda = 5 }\n") + rest +
                             "\n[adhesion]\ndefault = 1\n[[initial]]\nkind = \"seeds\"\ntype = \"cell\"\n" +
                             "count = 1\nradius = 3\n";
    Played whole(text, "threads", 1), cut = in_bricks(whole.model, whole.first, "2x2");
    const auto said = [](Played& tissue) -> std::string {
      try {
        tissue.play(10);
      } catch (const UserError& e) {
        return e.what();
      }
      return "";
    };
    const std::string alone = said(whole);
    EXPECT_NE(alone, "");
    EXPECT_EQ(said(cut), alone);
  }
}

}  // namespace
}  // namespace kiln
