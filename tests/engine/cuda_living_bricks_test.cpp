// Living tissue in bricks that GPUs play: the bits of one piece on threads, after every MCS.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "support/living_worlds.hpp"
#include "support/nvrtc.hpp"
#include "support/played.hpp"

namespace kiln::cuda {
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

class CudaLivingBricks : public testing::TestWithParam<World> {};

// Cut in every way; and cut anew now and then, so that cells come to bricks that have never heard of them.
TEST_P(CudaLivingBricks, HaveTheBitsOfThreadsInOnePiece) {
  KILN_NEEDS_GPU();
  const World& world = GetParam();
  Played whole(world.text, "threads", 1);
  std::vector<Played> cut;
  for (const std::string& bricks : world.cuts)
    cut.emplace_back(whole.model, whole.first, "cuda", 2, "", bricks);
  Played again(whole.model, whole.first, "cuda", 1, "", world.cuts.front());
  for (int mcs = 1; mcs <= world.mcs && !HasFailure(); ++mcs) {
    whole.play(1);
    for (std::size_t i = 0; i < cut.size(); ++i) {
      cut[i].play(1);
      EXPECT_EQ(cut[i].hash(), whole.hash()) << world.cuts[i] << ", in parts, MCS " << mcs;
      if (mcs % 5 != 0) continue;
      EXPECT_EQ(state_hash(cut[i].state()), whole.hash()) << world.cuts[i] << ", MCS " << mcs;
      EXPECT_EQ(cut[i].books(), "") << world.cuts[i] << ", MCS " << mcs;
    }
    again.play(1);
    EXPECT_EQ(again.hash(), whole.hash()) << "cut anew, MCS " << mcs;
    if (mcs % 10 != 0) continue;
    const std::string& next = world.cuts[std::size_t(mcs / 10) % world.cuts.size()];
    again = Played(whole.model, State(again.state()), "cuda", 1, "", next);
  }
  EXPECT_GT(whole.cells().count(), whole.first.cells.count() + world.births);
}

INSTANTIATE_TEST_SUITE_P(
    CudaOf, CudaLivingBricks,
    testing::Values(World{"colony2d", test::colony("[60, 40]"), {"2x1", "3x2"}, 150, 5},
                    World{"colony3d", test::colony("[20, 24, 16]"), {"1x1x2", "2x2x1"}, 150, 5},
                    World{"tissue2d", test::kFlat, {"2x1", "3x2"}, 200, 1},
                    World{"tissue3d", test::kSolid, {"1x1x2", "2x1x2"}, 200, 9},
                    World{"curious2d", test::curious("[44, 36]"), {"2x1", "3x2"}, 120, 9},
                    World{"curious3d", test::curious("[20, 16, 12]"), {"1x1x2", "2x1x2"}, 120, 9}),
    [](const auto& world) { return std::string(world.param.name); });

// More daughters than there are rows for, on every brick at once; then a thousand die.
TEST(CudaLivingBricks, BearAndLoseManyAtOnce) {
  KILN_NEEDS_GPU();
  const std::string text = R"toml(
seed = 2
temperature = 1
[lattice]
size = [128, 128]
[types.cell]
volume = { target = 8, lambda = 5 }
properties.n = 0
[adhesion]
default = 1
[[initial]]
box = 3
type = "cell"
[[rules]]
types = "cell"
when = "generation < 2"
do = "divide"
[[rules]]
types = "cell"
when = "time >= 5 and generation > 0 and x < 64"
do = "die"
how = "remove"
)toml";
  Played whole(text, "threads", 1), cut(whole.model, whole.first, "cuda", 1, "", "2x1");
  for (int mcs = 1; mcs <= 7; ++mcs) {
    whole.play(1);
    cut.play(1);
    ASSERT_EQ(cut.hash(), whole.hash()) << "MCS " << mcs;
    ASSERT_EQ(cut.books(), "") << "MCS " << mcs;
  }
  EXPECT_GE(whole.cells().count(), 7000u);
  EXPECT_LT(whole.alive(), 4000);
}

// A sentence, from whichever brick, and nothing hangs.
TEST(CudaLivingBricks, SayWhichCellHasNoNumber) {
  KILN_NEEDS_GPU();
  const std::string text = R"toml(
seed = 3
temperature = 1
[lattice]
size = [40, 40]
[types.cell]
volume = { target = 64, lambda = 5 }
growth = { rate = "1 / (age - 3)" }
[adhesion]
default = 1
[[initial]]
kind = "seeds"
type = "cell"
count = 1
radius = 3
)toml";
  Played whole(text, "threads", 1), cut(whole.model, whole.first, "cuda", 1, "", "2x2");
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

}  // namespace
}  // namespace kiln::cuda
