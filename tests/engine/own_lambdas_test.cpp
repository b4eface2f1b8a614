// Lambdas that rules set for every cell.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "support/any_stop.hpp"
#include "support/living_worlds.hpp"
#include "support/played.hpp"

namespace kiln {
namespace {

using test::Played;

// Cells on both sides of the middle, each with Act, a direction and a field to follow.
std::string tissue(const std::string& types, const std::string& left, const std::string& right,
                   const std::string& rest, bool flat) {
  return "seed = 6\ntemperature = 12\n[lattice]\nsize = " + std::string(flat ? "[64, 48]" : "[32, 16, 12]") +
         "\nboundary = \"closed\"\n[fields.up]\nshape = \"uniform\"\ndirection = " +
         (flat ? "[1, 0]" : "[1, 0, 0]") + "\n[adhesion]\ndefault = 4\n" + types +
         "[[initial]]\nbox = 4\ntype = \"" + left + "\"\nregion = { shape = \"box\", low = " +
         (flat ? "[0, 0], high = [32, 40]" : "[0, 0, 0], high = [16, 16, 8]") +
         " }\n[[initial]]\nbox = 4\ntype = \"" + right + "\"\nregion = { shape = \"box\", low = " +
         (flat ? "[32, 0], high = [64, 40]" : "[16, 0, 0], high = [32, 16, 8]") + " }\n" + rest;
}

std::string type(const std::string& name, int volume, double act, double chemotaxis, double persistence,
                 const std::string& more = "") {
  return "[types." + name + "]\nvolume = { target = " + std::to_string(volume) +
         ", lambda = 8 }\nact = { lambda = " + std::to_string(act) +
         ", max = 10 }\nchemotaxis = { lambda = " + std::to_string(chemotaxis) +
         ", field = \"up\" }\npersistence = { lambda = " + std::to_string(persistence) +
         ", mu = 0.6, dt = 3 }\n" + more;
}

struct Way {
  const char* schedule;
  bool flat;

  friend void PrintTo(const Way& way, std::ostream* to) {
    *to << way.schedule << (way.flat ? ", 2-D" : ", 3-D");
  }
};

class OwnLambdasOf : public testing::TestWithParam<Way> {
 protected:
  Played played(const std::string& text, int threads = 2) const {
    const std::string schedule = GetParam().schedule;
    return Played(text, schedule == "serial" ? "serial" : "threads", threads, schedule);
  }
  bool flat() const { return GetParam().flat; }
  int volume() const { return flat() ? 16 : 64; }

  static void expect_same_tissue(Played& a, Played& b) {
    EXPECT_TRUE(std::equal(a.state().ids.begin(), a.state().ids.end(), b.state().ids.begin()));
    EXPECT_EQ(a.books(), "");
    EXPECT_EQ(b.books(), "");
  }
};

// What a rule may set, but never does, is what the type says.
TEST_P(OwnLambdasOf, BeginWithTheTypes) {
  const std::string types = type("cell", volume(), 60, 15, 9);
  Played without = played(tissue(types, "cell", "cell", "", flat()));
  Played with = played(tissue(types, "cell", "cell",
                              "[[rules]]\ntypes = \"cell\"\nwhen = \"age < 0\"\nset = { \"act.lambda\" = 5, "
                              "chemotaxis.lambda = 5, persistence.lambda = 5 }\n",
                              flat()));
  ASSERT_FALSE(with.first.cells.own_lambdas.empty());
  without.play(40);
  with.play(40);
  expect_same_tissue(without, with);
}

// Cells of one type with two sets of lambdas move as those of two types, from the first rule on.
TEST_P(OwnLambdasOf, AreThoseOfEachCell) {
  Played two = played(
      tissue(type("a", volume(), 20, -5, 2) + type("b", volume(), 20, -5, 2), "a", "b",
             "[[phases]]\nname = \"before\"\nmcs = 1\n[[phases]]\nname = \"after\"\nmcs = 100\nset = { "
             "types.b.act.lambda = 90, types.b.chemotaxis.lambda = 30, types.b.persistence.lambda = 15 }\n",
             flat()));
  Played one = played(
      tissue(type("cell", volume(), 20, -5, 2,
                  std::string("properties.right = \"if(x > ") + (flat() ? "32" : "16") + ", 1, 0)\"\n"),
             "cell", "cell",
             "[[rules]]\ntypes = \"cell\"\nset = { act.lambda = \"20 + 70 * right\", "
             "chemotaxis.lambda = \"-5 + 35 * right\", persistence.lambda = \"2 + 13 * right\" }\n",
             flat()));
  const auto middle = CellId(one.first.cells.count() / 2);
  ASSERT_EQ(two.first.cells.type[middle], 1);
  ASSERT_EQ(two.first.cells.type[middle + 1], 2);
  two.play(1);
  two.player->set_physics(two.model.phases[1].physics.view());
  two.play(39);
  one.play(40);
  expect_same_tissue(one, two);
  EXPECT_EQ(one.cells().own_lambdas[1], (OwnLambdas{-5, 2, 20}));
  EXPECT_EQ(one.cells().own_lambdas[one.cells().count() - 1], (OwnLambdas{30, 15, 90}));
}

INSTANTIATE_TEST_SUITE_P(Of, OwnLambdasOf,
                         testing::Values(Way{"serial", true}, Way{"serial", false}, Way{"tiles", true},
                                         Way{"tiles", false}, Way{"checkerboard", true},
                                         Way{"checkerboard", false}));

// They are part of the state; daughters have their mother's, and a new type's are its own.
TEST(OwnLambdas, GoOnAfterAnyStop) {
  for (const char* schedule : {"serial", "tiles", "checkerboard"}) {
    Played one = test::play_with_stops(test::curious("[64, 48]"), schedule, 60);
    State other = one.state();
    other.cells.own_lambdas[3].act += 1;
    EXPECT_NE(state_hash(other), one.hash());
  }
}

TEST(OwnLambdas, AreWithinWhatTheTermAllows) {
  Played played(
      "[lattice]\nsize = [16, 16]\n[types.cell]\nact = { lambda = 3, max = 5 }\nvolume = { target = "
      "16, lambda = 5 }\n[[rules]]\ntypes = \"cell\"\nset = { act.lambda = \"-7\" }\n");
  played.play(1);
  EXPECT_EQ(played.cells().own_lambdas[1].act, 0);
}

TEST(OwnLambdas, PassToDaughtersAndBeginAnewInAnotherType) {
  const std::string text =
      "temperature = 1\n[lattice]\nsize = [16, 8]\n[types.a]\nvolume = { target = 64, lambda = 5 }\n"
      "act = { lambda = 3, max = 5 }\n[types.b]\nvolume = { target = 64, lambda = 5 }\n"
      "act = { lambda = 8, max = 5 }\n[[initial]]\nbox = 8\ntype = \"a\"\n"
      "[[rules]]\ntypes = \"a\"\nwhen = \"time == 0\"\nset = { act.lambda = 40 }\n"
      "[[rules]]\ntypes = [\"a\"]\nwhen = \"generation == 0 and time > 0 and x < 8\"\ndo = \"divide\"\n"
      "daughters = { 2 = { type = \"b\" } }\n"
      "[[rules]]\ntypes = [\"a\"]\nwhen = \"x > 8\"\ndo = \"become\"\ntype = \"b\"\nset = { act.lambda = 70 "
      "}\n";
  Played played(text);
  played.play(4);
  const Cells& cells = played.cells();
  ASSERT_EQ(cells.count(), 5u);
  EXPECT_EQ(cells.own_lambdas[2].act, 70);  // as the rule that made it another says
  EXPECT_EQ(cells.own_lambdas[3].act, cells.own_lambdas[1].act);
  EXPECT_EQ(cells.own_lambdas[4].act, 8);
}

}  // namespace
}  // namespace kiln
