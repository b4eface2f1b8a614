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

// Cut into many bricks; and into others every ten MCS, so that cells come to bricks that have never heard of
// them.
TEST_P(CudaLivingBricks, HaveTheBitsOfThreadsInOnePiece) {
  KILN_NEEDS_GPU();
  const World& world = GetParam();
  Played whole(world.text, "threads", 1), cut(whole.model, whole.first, "cuda", 2, "", world.cuts.front()),
      again(whole.model, whole.first, "cuda", 1, "", world.cuts.back());
  for (int mcs = 1; mcs <= world.mcs && !HasFailure(); ++mcs) {
    whole.play(1);
    cut.play(1);
    again.play(1);
    EXPECT_EQ(cut.hash(), whole.hash()) << "in parts, MCS " << mcs;
    EXPECT_EQ(again.hash(), whole.hash()) << "cut anew, MCS " << mcs;
    if (mcs % 10 != 0) continue;
    EXPECT_EQ(state_hash(cut.state()), whole.hash()) << "MCS " << mcs;
    EXPECT_EQ(cut.books(), "") << "MCS " << mcs;
    const std::string& next = world.cuts[std::size_t(mcs / 10) % world.cuts.size()];
    again = Played(whole.model, State(again.state()), "cuda", 1, "", next);
  }
  EXPECT_GT(whole.cells().count(), whole.first.cells.count() + world.births);
}

INSTANTIATE_TEST_SUITE_P(
    CudaOf, CudaLivingBricks,
    testing::Values(World{"colony2d", test::colony("[60, 40]"), {"3x2", "2x1"}, 150, 5},
                    World{"colony3d", test::colony("[20, 24, 16]"), {"2x2x1", "1x1x2"}, 150, 5},
                    World{"tissue2d", test::kFlat, {"3x2", "2x1"}, 200, 1},
                    World{"tissue3d", test::kSolid, {"2x1x2", "1x1x2"}, 200, 9},
                    World{"curious2d", test::curious("[44, 36]"), {"2x2", "3x1"}, 60, 4},
                    World{"curious3d", test::curious("[20, 16, 12]"), {"2x1x2", "1x1x2"}, 120, 9}),
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
