// Members of an ensemble have the results that they have alone, bit for bit.
#include "engine/ensemble.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/error.hpp"
#include "support/ensembles.hpp"
#include "support/living_worlds.hpp"

namespace kiln {
namespace {

using test::check_ensemble;

TEST(Ensemble, MembersAreAsIfAlone) {
  check_ensemble(test::small_model("tcell.act = {lambda = 200, max = 20}"), 5,
                 {.engine = "threads", .threads = 2}, 20);
}
TEST(Ensemble, MembersAreAsIfAloneInSerial) {
  check_ensemble(test::small_model(""), 3, {.engine = "serial", .threads = 2}, 10);
}
TEST(Ensemble, MembersAreAsIfAloneOnTheCheckerboard) {
  check_ensemble(test::small_model(""), 3, {.engine = "threads", .schedule = "checkerboard"}, 5);
}

// Members have different numbers of cells before long, and substances and properties of their own.
TEST(Ensemble, LivingMembersAreAsIfAlone) {
  for (const std::string& world : {test::colony("[60, 40]"), test::kFlat})
    check_ensemble(parse_model(world, "m.toml", "."), 4, {.engine = "threads", .threads = 2}, 120);
  const Model model = parse_model(test::colony("[60, 40]"), "m.toml", ".");
  check_ensemble(model, 2, {.engine = "serial", .threads = 2}, 120);
  const auto ensemble = test::ensemble_of(model, 3, {.engine = "threads", .threads = 2});
  ensemble->advance(120);
  std::set<CellId> cells;
  for (int member = 0; member < 3; ++member) cells.insert(ensemble->state(member).cells.count());
  EXPECT_GE(cells.size(), 2u);
}

TEST(Ensemble, EveryMemberIsVisitedOnce) {
  const Model model = test::small_model("");
  auto ensemble = test::ensemble_of(model, 7, {.engine = "threads", .threads = 3});
  std::vector<std::atomic<int>> visits(7);
  ensemble->visit([&](int64_t member, const State& state) {
    EXPECT_EQ(state.lattice.sites(), model.lattice.sites());
    visits[std::size_t(member)] += 1;
  });
  for (const auto& count : visits) EXPECT_EQ(count, 1);
}

TEST(Ensemble, NeedsOneSeedPerState) {
  const Model model = test::small_model("");
  std::vector<State> states(2, initial_state(model));
  EXPECT_THROW(make_ensemble(model, model.phases[0].physics.view(), states, {1}, {.engine = "threads"}),
               Failure);
  states[1].mcs = 3;
  EXPECT_THROW(make_ensemble(model, model.phases[0].physics.view(), states, {1, 2}, {.engine = "threads"}),
               Failure);
}

}  // namespace
}  // namespace kiln
