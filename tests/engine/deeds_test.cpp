// What a caller makes happen to cells between two MCS.
#include "engine/living/deeds.hpp"

#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "support/living_worlds.hpp"
#include "support/played.hpp"

namespace kiln {
namespace {

using test::Played;

// Long cells that keep going: all columns that a table can have.
std::string travellers(const std::string& size) {
  std::string text = R"toml(
seed = 9
temperature = 12
[lattice]
size = SIZE
[types.cell]
volume = { target = 40, lambda = 5 }
length = { target = 12, lambda = 2 }
persistence = { lambda = 20, mu = 0.6, dt = 4 }
growth = { rate = 100, up_to = 60 }
properties = { dye = { start = 3, extensive = true }, clock = "x" }
[types.other]
volume = { target = 30, lambda = 5 }
act = { lambda = 30, max = 6 }
[types.wall]
frozen = true
[adhesion]
default = 4
[[initial]]
box = 5
spacing = 6
type = "cell"
[[rules]]
types = ["other"]
set = { "act.lambda" = 60 }
)toml";
  return text.replace(text.find("SIZE"), 4, size);
}

// Any cells that can, and any deed: books are right at once and afterwards, and the tissue goes on alike on
// any number of threads.
TEST(Deeds, KeepTheBooksOfAnyTissue) {
  for (const std::string& world :
       {test::colony("[60, 40]"), test::colony("[20, 24, 16]"), test::curious("[64, 48]"),
        travellers("[48, 40]"), travellers("[20, 18, 24]")}) {
    std::mt19937 rng(3);
    Played played(world);
    const Model& model = played.model;
    int64_t happened = 0;
    for (int round = 0; round < 12; ++round) {
      played.play(4);
      State state = played.state();
      std::vector<CellId> cells;
      for (CellId cell = 1; cell < state.cells.count(); ++cell)
        if (state.cells.life[cell].end == Cells::End::none && !model.types[state.cells.type[cell]].frozen &&
            rng() % 5 == 0)
          cells.push_back(cell);
      std::shuffle(cells.begin(), cells.end(), rng);
      Rule deed;
      deed.deed = round % 3 == 0 ? Rule::Deed::divide : round % 3 == 1 ? Rule::Deed::become : Rule::Deed::die;
      deed.plane = round % 2 == 0 ? DivisionPlane::random : DivisionPlane::across;
      if (deed.deed == Rule::Deed::become) deed.new_type = TypeId(1 + rng() % (model.types.size() - 1));
      const CellId before = state.cells.count();
      const CellChanges changes = carry_out(model, state, deed, cells);
      happened += int64_t(changes.ended.size() + changes.of_new_type.size());
      EXPECT_EQ(state.cells.count(), before + CellId(changes.born.size()));
      ASSERT_EQ(audit(state, model.perimeter_neighbours, model.frozen_types()), "") << round;
      played = Played(model, State(state), "threads", 2);
      Played other(model, std::move(state), "threads", 1);
      played.play(3);
      other.play(3);
      ASSERT_EQ(played.books(), "") << round;
      ASSERT_EQ(played.hash(), other.hash()) << round;
    }
    EXPECT_GT(happened, 10);
  }
}

TEST(Deeds, ThatCannotBeChangeNothing) {
  const Model model = parse_model(travellers("[48, 40]"), "m.toml", ".");
  State state = initial_state(model);
  const std::string before = state_hash(state);
  Rule deed;
  deed.deed = Rule::Deed::die;
  const auto message_of = [&](const Rule& what, const std::vector<CellId>& cells) -> std::string {
    try {
      carry_out(model, state, what, cells);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  const CellId last = state.cells.count() - 1;
  EXPECT_EQ(message_of(deed, {1, last + 1}), "there is no cell " + std::to_string(last + 1) +
                                                 "; there are the cells 1 to " + std::to_string(last) + ".");
  EXPECT_EQ(message_of(deed, {3, 1, 3}), "cell 3 is named twice.");
  Rule frozen;
  frozen.deed = Rule::Deed::become;
  frozen.new_type = model.types.size() - 1;
  EXPECT_EQ(state_hash(state), before);
  carry_out(model, state, frozen, {2});
  EXPECT_EQ(message_of(deed, {2}), "cell 2 is of type wall: cells of a frozen type never change.");
  carry_out(model, state, deed, {1});
  EXPECT_EQ(message_of(deed, {1}), "cell 1 has ended in MCS 0.");
}

}  // namespace
}  // namespace kiln
