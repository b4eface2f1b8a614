#include "simulation/simulation.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "engine/schedule/tiles_plan.hpp"
#include "model/branch.hpp"
#include "model/file/read.hpp"
#include "simulation/diary.hpp"

namespace kiln {
namespace {

std::shared_ptr<const Model> small_model(const std::vector<std::string>& set = {}) {
  return std::make_shared<const Model>(parse_model(R"(pictures = []
[lattice]
size = [40, 36]
[types.a]
volume = {target = 40, lambda = 2}
act = {lambda = 30, max = 10}
[types.b]
volume = {target = 40, lambda = 2}
persistence = {lambda = 10, dt = 4}
[[initial]]
kind = "boxes"
types = {a = 1, b = 1}
box = [6, 6]
spacing = [8, 9]
[[phases]]
name = "rest"
mcs = 7
measure = false
set = {"types.a.act.lambda" = 0}
[[phases]]
name = "go"
mcs = 12
[measure]
every = 4
cells_every = 6
)",
                                                   "m.toml", "", set));
}

Simulation simulation_of(std::shared_ptr<const Model> model, const std::string& engine = "threads") {
  EngineOptions options;
  options.engine = engine;
  State state = initial_state(*model);
  return Simulation(std::move(model), std::move(state), options);
}

std::string hash_of(Simulation& simulation) { return state_hash(simulation.engine().state()); }

TEST(Simulation, PhasesBeginWhereTheyShould) {
  const auto model = small_model();
  for (const std::string engine : {"serial", "threads"}) {
    Simulation whole = simulation_of(model, engine);
    whole.advance(25);  // beyond the last phase
    EXPECT_EQ(whole.mcs(), 25);
    Simulation pieces = simulation_of(model, engine);
    while (pieces.mcs() < 25) pieces.advance_a_while(std::min<int64_t>(3, 25 - pieces.mcs()));
    EXPECT_EQ(hash_of(pieces), hash_of(whole));
    // The same by hand.
    EngineOptions options;
    options.engine = engine;
    const auto by_hand = make_engine(*model, model->phases[0].physics.view(), initial_state(*model), options);
    by_hand->advance(7);
    by_hand->set_physics(model->phases[1].physics.view());
    by_hand->advance(18);
    EXPECT_EQ(state_hash(by_hand->state()), hash_of(whole));
  }
}

TEST(Simulation, GoesOnUnderAnotherModel) {
  // The first needs but new numbers, the others another engine: what cells carry, or the schedule, changes.
  for (const std::string change :
       {"types.a.volume.target=55", "types.a.act.max=6", "types.b.persistence.dt=9", "fidelity=\"strict\"",
        "types.a.volume.target=\"start\"", "types.a.length={target = 9, lambda = 0.001}"}) {
    Simulation simulation = simulation_of(small_model());
    simulation.advance(10);
    const AttemptCounts counts = simulation.counts();
    const auto changed = small_model({change});
    simulation.change_model(changed);
    EXPECT_EQ(simulation.counts().attempts, counts.attempts) << change;
    EXPECT_EQ(&simulation.model(), changed.get());

    Simulation other = simulation_of(small_model());
    other.advance(10);
    State state = other.engine().state();
    state = branched_state(*changed, std::move(state), type_memories(*small_model()), "");
    EngineOptions options;
    options.engine = "threads";
    Simulation branched(changed, std::move(state), options);
    simulation.advance(10);
    branched.advance(10);
    EXPECT_EQ(hash_of(simulation), hash_of(branched)) << change;
  }
}

// A stiff model is played in several passes, and the volume's lambda decides which attempts stay open in
// them. What an engine at work goes on with is what a new one would take.
TEST(Simulation, GoesOnUnderAnotherStiffModel) {
  const auto stiff = [](const std::string& lambda) {
    return std::make_shared<const Model>(parse_model(R"(pictures = []
temperature = 10
[lattice]
size = [48, 48]
[types.cell]
volume = {target = 40}
[[initial]]
kind = "boxes"
type = "cell"
box = [6, 6]
)",
                                                     "m.toml", "", {"types.cell.volume.lambda=" + lambda}));
  };
  const tiles::Settings before = tiles::settings_for(*stiff("10")), after = tiles::settings_for(*stiff("36"));
  ASSERT_GT(before.passes, 1);
  ASSERT_EQ(before.passes, after.passes);
  ASSERT_NE(before.hopeless, after.hopeless);  // all that differs
  Simulation simulation = simulation_of(stiff("10"));
  simulation.advance(5);
  simulation.change_model(stiff("36"));
  EngineOptions options;
  options.engine = "threads";
  Simulation loaded(stiff("36"), State(simulation.engine().state()), options);
  simulation.advance(20);
  loaded.advance(20);
  EXPECT_EQ(hash_of(simulation), hash_of(loaded));
}

TEST(Simulation, AModelThatDoesNotFitChangesNothing) {
  Simulation simulation = simulation_of(small_model()), same = simulation_of(small_model());
  simulation.advance(10);
  EXPECT_THROW(simulation.change_model(small_model({"lattice.size=[20,20]"})), UserError);
  simulation.advance(10);
  same.advance(20);
  EXPECT_EQ(hash_of(simulation), hash_of(same));
}

TEST(Diary, KeepsWhatIsDue) {
  Simulation simulation = simulation_of(small_model());
  Diary diary(simulation);
  while (simulation.mcs() < 20) {
    simulation.advance(diary.next_due(20) - simulation.mcs());
    diary.note();
  }
  std::vector<int64_t> mcs;
  for (const MeasureRow& row : diary.rows()) mcs.push_back(row.mcs);
  EXPECT_EQ(mcs, (std::vector<int64_t>{7, 8, 12, 16, 20}));  // the first phase is not measured
  const int64_t cells = int64_t(simulation.engine().state().cells.count()) - 1;
  EXPECT_EQ(int64_t(diary.tracks().id.size()), 3 * cells);  // at 7, 12 and 18
}

TEST(Diary, GoesOnThroughAChangeOfParameters) {
  Simulation simulation = simulation_of(small_model());
  Diary diary(simulation);
  const auto go = [&](int64_t end) {
    while (simulation.mcs() < end) {
      simulation.advance(diary.next_due(end) - simulation.mcs());
      diary.note();
    }
  };
  go(12);
  simulation.change_model(small_model({"temperature=5"}));
  diary.model_changed();
  go(16);
  EXPECT_GT(diary.rows().back().motion.displacement_um, 0);
  EXPECT_EQ(diary.watch().tracks().data().samples, 4);  // at 7, 8, 12 and 16
}

}  // namespace
}  // namespace kiln
