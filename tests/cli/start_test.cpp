// What a run says about the state that it begins with.
#include "cli/cli_fixture.hpp"

namespace kiln {
namespace {

TEST_F(Cli, FrozenCellsAreNamedApart) {
  write("frozen.toml", R"(mcs = 1
pictures = []
[lattice]
size = [30, 30]
[types.wall]
frozen = true
[types.cell]
volume = { target = 25 }
[[initial]]
kind = "fill"
type = "wall"
region = { shape = "ball", radius = 12, outside = true }
[[initial]]
type = "cell"
box = 5
)");
  const Result run = kiln("run frozen.toml --engine serial --out r");
  EXPECT_EQ(run.exit_code, 0);
  // Boxes of 5 x 5 that touch a disc of radius 12 in the middle of six by six: all but the four in the
  // corners.
  EXPECT_NE(run.out.find("lattice 30 x 30, 32 cells and 1 frozen, 1 MCS"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("cells        32\n"), std::string::npos) << run.out;
  const Result explained = kiln("validate frozen.toml");
  EXPECT_NE(explained.out.find("about 32 cells"), std::string::npos) << explained.out;
}

TEST_F(Cli, NoCellsHaveANote) {
  const Result beyond = kiln(
      "run small.toml --mcs 1 --engine serial --out r --set "
      "initial.0.region={shape=\\\"box\\\",low=[50,50],high=[60,60]}");
  EXPECT_EQ(beyond.exit_code, 0);
  EXPECT_NE(
      beyond.out.find(
          "note: initial.0 places nothing: its region holds no site of the lattice, which has 40 x 40."),
      std::string::npos)
      << beyond.out;
  EXPECT_NE(beyond.out.find(" 0 cells, "), std::string::npos) << beyond.out;
}

}  // namespace
}  // namespace kiln
