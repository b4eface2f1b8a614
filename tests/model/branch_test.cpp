// States that go on under another model.
#include "model/branch.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

const std::string kLattice = "pictures = []\n[lattice]\nsize = [24, 20]\n";
const std::string kCells = R"([types.a]
volume = {target = 20, lambda = 1}
act = {lambda = 10, max = 9, start_full = true}
persistence = {lambda = 3, dt = 4}
[types.b]
volume = {target = 20, lambda = 1}
[types.wall]
frozen = true
[[initial]]
kind = "fill"
type = "wall"
region = {shape = "box", low = [0, 0], high = [24, 2]}
[[initial]]
kind = "boxes"
types = {a = 1, b = 1}
box = [4, 4]
spacing = [6, 6]
)";

Model model_of(const std::vector<std::string>& set = {}) {
  return parse_model(kLattice + kCells, "m.toml", "", set);
}

State started(int64_t mcs = 100) {
  State state = initial_state(model_of());
  state.mcs = mcs;
  return state;
}

State branched(const Model& model, State state = started()) {
  return branched_state(model, std::move(state), type_memories(model_of()), "c.h5");
}

TEST(BranchedState, IsTheSameWhereNothingDiffers) {
  const State before = started(), after = branched(model_of());
  EXPECT_EQ(state_hash(after), state_hash(before));
  EXPECT_EQ(after.cells.history, before.cells.history);
  EXPECT_EQ(after.mcs, 100);
}

// What a cell had at the start stays its target, whatever it has now.
TEST(BranchedState, KeepsTargetsOrTakesWhatCellsHave) {
  const Model own = model_of({"types.a.volume.target='start'"});
  State state = initial_state(own);
  for (CellId cell = 1; cell < state.cells.count(); ++cell) state.cells.targets[cell] = {7, float(cell)};
  const State kept = branched_state(own, state, type_memories(own), "c.h5");
  EXPECT_EQ(kept.cells.targets, state.cells.targets);
  EXPECT_TRUE(branched_state(model_of(), state, type_memories(own), "c.h5").cells.targets.empty());
  const State begun = branched(own);
  ASSERT_EQ(begun.cells.targets.size(), begun.cells.count());
  for (CellId cell = 1; cell < begun.cells.count(); ++cell)
    EXPECT_EQ(begun.cells.targets[cell].volume, float(begun.cells.extent[cell].volume));
}

// Of properties that begin with the branch: others go on.
TEST(BranchedState, StartsPropertiesWithFiniteNumbers) {
  const std::string p = "types.b.properties={p={start='1/(volume-16)'}}";
  const Model with_p = model_of({p}), with_q = model_of({"types.b.properties={q={start='volume'}}"});
  const auto message_of = [](const auto& work) -> std::string {
    try {
      work();
      return "";
    } catch (const UserError& error) {
      return error.what();
    }
  };
  const std::string message = message_of([&] { initial_state(with_p); });
  EXPECT_TRUE(message.starts_with("m.toml: types.b.properties.p.start is inf for cell ")) << message;
  EXPECT_TRUE(message.ends_with(", where volume 16, but must be finite.")) << message;
  State state = initial_state(with_q);
  EXPECT_EQ(message_of([&] { branched_state(with_p, state, type_memories(with_q), "c.h5", {"q"}); }),
            message);
  const State kept = branched_state(with_p, state, type_memories(with_q), "c.h5", {"p"});
  for (CellId cell = 1; cell < kept.cells.count(); ++cell)
    EXPECT_EQ(kept.cells.property[cell], state.cells.property[cell]);
}

TEST(BranchedState, KnowsTypesByName) {
  std::string other = kCells;
  const std::string b = "[types.b]\nvolume = {target = 20, lambda = 1}\n";
  other.erase(other.find(b), b.size());
  const Model model = parse_model(kLattice + b + other, "m.toml", "");
  ASSERT_EQ(model.types[1].name, "b");
  const State before = started(), after = branched(model);
  for (CellId cell = 1; cell < before.cells.count(); ++cell)
    EXPECT_EQ(model.types[after.cells.type[cell]].name, model_of().types[before.cells.type[cell]].name);
}

TEST(BranchedState, ActFitsTheNewMaximum) {
  const State before = started(), after = branched(model_of({"types.a.act.max=3"}));
  int lowered = 0;
  for (std::size_t site = 0; site < before.act.size(); ++site) {
    EXPECT_EQ(after.act[site], std::min<ActValue>(before.act[site], 3));
    lowered += before.act[site] > 3 ? 1 : 0;
  }
  EXPECT_GT(lowered, 0);
}

TEST(BranchedState, HistoryStartsAnewWithAnotherLag) {
  State state = started();
  for (Vec3d& place : state.cells.history) place.x += 1;  // cells have come here from somewhere
  const State same = branched(model_of({"temperature=3"}), state);
  EXPECT_EQ(same.cells.history, state.cells.history);
  const State after = branched(model_of({"types.a.persistence.dt=6"}), state);
  EXPECT_EQ(after.cells.history_length, 6);
  for (CellId cell = 2; cell < after.cells.count(); ++cell)
    for (std::size_t slot = 0; slot < 6; ++slot)
      EXPECT_EQ(after.cells.history[cell * 6 + slot], after.cells.position(cell)) << cell;
  EXPECT_EQ(after.cells.direction, state.cells.direction);
}

TEST(BranchedState, TypesBecomePersistentOrCeaseToBe) {
  const State before = started();
  const State after =
      branched(model_of({"types.b.persistence={lambda=2, dt=4}", "types.a.persistence.lambda=0"}));
  const Model model = model_of();
  for (CellId cell = 2; cell < before.cells.count(); ++cell) {
    const bool is_a = model.types[before.cells.type[cell]].name == "a";
    EXPECT_EQ(before.cells.direction[cell] == Vec3f{}, !is_a);
    EXPECT_EQ(after.cells.direction[cell] == Vec3f{}, is_a);
  }
}

TEST(BranchedState, IsCountedAgainWhereTheModelCountsOtherwise) {
  for (const std::vector<std::string>& set :
       std::vector<std::vector<std::string>>{{"neighbourhood.perimeter=1"},
                                             {"types.wall.frozen=false"},
                                             {"types.b={frozen=true}"},
                                             {"types.wall.frozen=false", "neighbourhood.perimeter=3"}}) {
    const Model model = model_of(set);
    const State after = branched(model);
    EXPECT_EQ(audit(after, model.perimeter_neighbours, model.frozen_types()), "") << set[0];
    EXPECT_EQ(after.cells.extent[1].volume, set[0] == "types.wall.frozen=false" ? 48 : 0);
  }
  // An anchor of its own: the wall's middle is found.
  const State after = branched(model_of({"types.wall.frozen=false", "lattice.boundary=\"periodic\""}));
  EXPECT_EQ(after.cells.position(1).y, 0.5);
}

TEST(BranchedState, ATypeTooManyIsNamed) {
  std::vector<TypeMemory> types = type_memories(model_of());
  types.push_back({"stroma", 1});
  try {
    branched_state(model_of(), started(), types, "c.h5");
    FAIL() << "nothing was thrown";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "m.toml cannot start from c.h5: it has the type \"stroma\", which the model has not.");
  }
}

}  // namespace
}  // namespace kiln
