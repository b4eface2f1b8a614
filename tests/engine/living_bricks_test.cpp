// Living tissue cut into bricks: the bits of one piece after every MCS, however it is cut.
#include <gtest/gtest.h>

#include "base/error.hpp"
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
                    World{"tissue2d", test::kFlat, {"2x1", "1x3", "3x2"}, 200, 3},
                    World{"tissue3d", test::kSolid, {"1x1x2", "2x2x1", "2x1x2"}, 200, 9},
                    World{"curious2d", test::curious("[44, 36]"), {"2x1", "1x3", "3x2"}, 120, 9},
                    World{"curious3d", test::curious("[20, 16, 12]"), {"1x1x2", "2x2x1", "2x1x2"}, 120, 9}),
    [](const auto& world) { return std::string(world.param.name); });

}  // namespace
}  // namespace kiln
