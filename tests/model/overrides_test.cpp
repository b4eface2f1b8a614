// `--set key=value`, and phases, which change parameters the same way.
#include <gtest/gtest.h>

#include "model/file/read.hpp"

namespace kiln {
namespace {

Model parsed(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_model(text, "m.toml", "", overrides);
}

constexpr const char* kModel = R"(
lattice.size = [64, 64]
[types.a]
volume = { target = 40, lambda = 2 }
act = { lambda = 100, max = 20 }
[types.b]
volume = { target = 60, lambda = 3 }
persistence = { lambda = 0 }
[adhesion]
b.a = 11
a.medium = 5
[[initial]]
kind = "seeds"
type = "a"
count = 9
)";

TEST(Overrides, ReplaceValuesOfEveryKind) {
  const Model m = parsed(
      kModel, {"types.a.act.lambda=300", "lattice.size=[32,48]", "initial.0.count=5", "title=Bare words",
               "lattice.boundary=closed", "types.b.colour=#010203", " seed = 12 ", "pictures=[]"});
  EXPECT_EQ(m.phases[0].physics.types[1].act.lambda, 300);
  EXPECT_EQ(m.phases[0].physics.types[1].act.max, 20);
  EXPECT_EQ(m.lattice.size, (Vec3i{32, 48, 1}));
  EXPECT_EQ(m.initial[0].count, 5);
  EXPECT_EQ(m.title, "Bare words");
  EXPECT_FALSE(m.lattice.periodic.x);
  EXPECT_EQ(m.types[2].colour, (Colour{1, 2, 3}));
  EXPECT_EQ(m.seed, 12u);
  EXPECT_TRUE(m.pictures.empty());
}

TEST(Overrides, TheLastOneWins) { EXPECT_EQ(parsed(kModel, {"seed=2", "seed=3"}).seed, 3u); }

TEST(Overrides, ReachTheTypeOfAModelWithoutTypes) {
  const Model m =
      parsed("lattice.size = [64, 64]", {"types.cell.volume.target=81", "lattice.size=[20,20,20]"});
  EXPECT_EQ(m.phases[0].physics.types[1].volume.target, 81);
  EXPECT_EQ(m.phases[0].physics.types[1].volume.lambda, 25);  // as in 3-D
}

TEST(Overrides, OfAPairReplaceItInEitherOrder) {
  const std::vector<double> j =
      parsed(kModel, {"adhesion.a.b=7", "adhesion.medium={b=4}"}).phases[0].physics.adhesion;
  EXPECT_EQ(j, (std::vector<double>{0, 5, 4, 5, 0, 7, 4, 7, 0}));
}

TEST(Overrides, EndUpInTheResolvedModel) {
  const Model m = parsed(kModel, {"types.a.act.lambda=300"});
  EXPECT_NE(m.resolved.find("act = { lambda = 300, max = 20, start_full = false }"), std::string::npos)
      << m.resolved;
}

constexpr const char* kPhases = R"(
[[phases]]
name = "cold"
mcs = 10
measure = false
set = { temperature = 5, "types.a.act.lambda" = 0, adhesion.a.b = 3 }
[[phases]]
mcs = 30
set.types.b.persistence.lambda = 40
)";

TEST(Phases, ChangeWhatTheySetAndNothingElse) {
  const Model m = parsed(std::string(kModel) + kPhases);
  ASSERT_EQ(m.phases.size(), 2u);
  EXPECT_EQ(m.total_mcs(), 40);
  EXPECT_EQ(m.phases[0].name, "cold");
  EXPECT_FALSE(m.phases[0].measured);
  const PhysicsData& cold = m.phases[0].physics;
  EXPECT_EQ(cold.temperature, 5);
  EXPECT_EQ(cold.types[1].act.lambda, 0);
  EXPECT_EQ(cold.types[1].volume.target, 40);
  EXPECT_EQ(cold.adhesion[1 * 3 + 2], 3);
  EXPECT_EQ(cold.adhesion[2 * 3 + 1], 3);
  EXPECT_EQ(cold.types[2].persistence.lambda, 0);

  EXPECT_EQ(m.phases[1].name, "phase-2");
  EXPECT_TRUE(m.phases[1].measured);
  const PhysicsData& warm = m.phases[1].physics;
  EXPECT_EQ(warm.temperature, 20);
  EXPECT_EQ(warm.types[1].act.lambda, 100);
  EXPECT_EQ(warm.adhesion[1 * 3 + 2], 11);
  EXPECT_EQ(warm.types[2].persistence.lambda, 40);
}

TEST(Phases, TermsWithAStateAreKeptUpInAllOfThem) {
  const Model m = parsed(std::string(kModel) + kPhases);
  for (const Phase& phase : m.phases) {
    EXPECT_TRUE(phase.physics.uses.act);
    EXPECT_TRUE(phase.physics.uses.persistence);
  }
  EXPECT_EQ(m.history_length(), 15);
  EXPECT_EQ(parsed(kModel).history_length(), 0);  // persistence never has a strength
}

TEST(Phases, CanBeOverridden) {
  const Model m = parsed(std::string(kModel) + kPhases, {"phases.0.mcs=99", "phases.0.set.temperature=1",
                                                         "phases.0.set.types.a.act.lambda=8"});
  EXPECT_EQ(m.phases[0].mcs, 99);
  EXPECT_EQ(m.phases[0].physics.temperature, 1);
  EXPECT_EQ(m.phases[0].physics.types[1].act.lambda, 8);
}

}  // namespace
}  // namespace kiln
