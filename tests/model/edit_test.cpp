// States that come from outside.
#include "model/edit.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

Model edited_model() {
  return parse_model(R"(pictures = []
[lattice]
size = [24, 20]
[types.a]
volume = {target = 20, lambda = 1}
act = {lambda = 10, max = 9, start_full = true}
persistence = {lambda = 3, dt = 4}
[types.wall]
frozen = true
[[initial]]
kind = "boxes"
type = "a"
box = [4, 4]
spacing = [6, 5]
)",
                     "m.toml", "");
}

std::string audited(const Model& model, const State& state) {
  return audit(state, model.perimeter_neighbours, model.frozen_types());
}

TEST(Edit, NewCellsHaveTargetsLikeThoseOfAFirstState) {
  const Model model = parse_model(R"([lattice]
size = [24, 20]
[types.a]
volume = {target = "start", lambda = 1}
[[initial]]
kind = "boxes"
box = [4, 4]
)",
                                  "m.toml", "");
  const State before = initial_state(model);
  ASSERT_EQ(before.cells.targets.size(), before.cells.count());
  State state = before;
  const CellId daughter = state.cells.add(1);
  Site taken = 0;
  for (Site site = 0; site < Site(state.ids.size()); ++site)
    if (state.ids[site] == 3 && taken++ < 6) state.ids[site] = daughter;
  complete_edit(model, state, before);
  EXPECT_EQ(state.cells.targets[daughter].volume, 6);
  EXPECT_EQ(state.cells.targets[3].volume, 16);
  EXPECT_EQ(state.cells.targets[3].perimeter, float(before.cells.extent[3].perimeter));
}

TEST(Edit, KeepsTheBooks) {
  const Model model = edited_model();
  const State before = initial_state(model);
  State state = before;
  const CellId daughter = state.cells.add(1);
  Site taken = 0;
  for (Site site = 0; site < Site(state.ids.size()); ++site)
    if (state.ids[site] == 3 && taken++ < 6) state.ids[site] = daughter;
  complete_edit(model, state, before);
  EXPECT_EQ(audited(model, state), "");
  EXPECT_EQ(state.cells.extent[daughter].volume, 6);
  EXPECT_EQ(state.cells.extent[3].volume, 10);
  for (std::size_t site = 0; site < state.ids.size(); ++site)
    EXPECT_EQ(state.act[site], state.ids[site] == daughter ? 0 : before.act[site]);
  // The daughter starts like a cell of a first state; the others are as they were.
  ASSERT_EQ(state.cells.direction.size(), state.cells.count());
  EXPECT_NEAR(dot(state.cells.direction[daughter], state.cells.direction[daughter]), 1, 1e-5);
  EXPECT_EQ(state.cells.direction[3], before.cells.direction[3]);
  EXPECT_EQ(state.cells.history[std::size_t(daughter) * 4], state.cells.position(daughter));
  EXPECT_EQ(state.cells.history[3 * 4], before.cells.history[3 * 4]);
}

TEST(Edit, ACellThatComesBackStartsAnew) {
  const Model model = edited_model();
  const State first = initial_state(model);
  State gone = first;
  for (CellId& id : gone.ids) id = id == 2 ? kMedium : id;
  complete_edit(model, gone, first);
  EXPECT_EQ(gone.cells.extent[2].volume, 0);
  State back = gone;
  back.ids[5] = 2;
  complete_edit(model, back, gone);
  EXPECT_EQ(audited(model, back), "");
  EXPECT_EQ(back.cells.history[2 * 4], (Vec3d{5, 0, 0}));
}

TEST(Edit, RefusesIdsWithoutACell) {
  const Model model = edited_model();
  const State before = initial_state(model);
  State state = before;
  state.ids[24 * 3 + 7] = 1000;
  try {
    complete_edit(model, state, before);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              "lattice[3, 7] is 1000, but there are only the cells 0 (the medium) to 16.");
  }
}

// Three cells of 16 sites, whose property starts as a formula says.
Model model_with_start(const std::string& formula) {
  return parse_model(R"([lattice]
size = [24, 8]
[types.a]
volume = {target = 20, lambda = 1}
properties.q = 2
properties.p = ")" + formula +
                         R"("
[[initial]]
kind = "boxes"
box = [4, 4]
spacing = [8, 8]
)",
                     "m.toml", "");
}

// Of cells that the edit makes: others have their properties already, whatever their start would be now.
TEST(Edit, StartsPropertiesWithFiniteNumbers) {
  const Model model = model_with_start("1 / (volume - 9)");
  const State before = initial_state(model);
  const auto with_a_cell_of = [&](int sites) {
    State state = before;
    const CellId fresh = state.cells.add(1);
    Site taken = 0;
    for (Site site = 0; site < Site(state.ids.size()); ++site)
      if (state.ids[site] == 2 && taken++ < sites) state.ids[site] = fresh;
    complete_edit(model, state, before);
    return state;
  };
  EXPECT_EQ(with_a_cell_of(7).cells.property[4 * 2 + 1], -0.5);  // cell 2 has 9 sites now
  try {
    with_a_cell_of(9);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "m.toml: types.a.properties.p.start is inf for cell 4, where volume 9, but must be finite.");
  }
  std::vector<CellId> nine(24 * 8, 0);
  std::fill_n(nine.begin(), 9, 1);
  EXPECT_THROW(state_of_ids(model, nine, {0, 1}), UserError);
}

// Nothing is known of it, so nothing is wrong with it.
TEST(Edit, ACellWithoutASiteStartsWith0WhereItsStartIsNotFinite) {
  const Model model = model_with_start("1 / volume + x");
  const State before = initial_state(model);
  State state = before;
  const CellId fresh = state.cells.add(1);
  complete_edit(model, state, before);
  EXPECT_EQ(state.cells.property[fresh * 2], 2);
  EXPECT_EQ(state.cells.property[fresh * 2 + 1], 0);
}

TEST(Edit, AStateOfGivenIds) {
  const Model model = edited_model();
  std::vector<CellId> ids(24 * 20, 0);
  for (int i = 0; i < 30; ++i) ids[std::size_t(i)] = i < 10 ? 1 : 2;
  const State state = state_of_ids(model, ids, {0, 1, 2});
  EXPECT_EQ(audited(model, state), "");
  EXPECT_EQ(state.cells.extent[1].volume, 10);
  EXPECT_EQ(state.cells.extent[2].volume, 0);  // frozen: not followed
  EXPECT_EQ(state.act[0], 9);
  EXPECT_THROW(state_of_ids(model, ids, {0, 1}), UserError);
  EXPECT_THROW(state_of_ids(model, ids, {0, 1, 3}), UserError);
  EXPECT_THROW(state_of_ids(model, ids, {1, 1, 1}), UserError);
  ids.pop_back();
  EXPECT_THROW(state_of_ids(model, ids, {0, 1, 2}), UserError);
}

}  // namespace
}  // namespace kiln
