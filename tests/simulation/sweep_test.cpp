// Sweeps in memory: what is played, and that it is what single runs give.
#include "simulation/sweep/sweep.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "model/file/read.hpp"
#include "simulation/diary.hpp"

namespace kiln {
namespace {

constexpr const char* kModel = R"(mcs = 12
[lattice]
size = [30, 30]
[types.cell]
volume = {target = 20, lambda = 5}
[adhesion]
cell.cell = 5
cell.medium = 8
[[initial]]
kind = "seeds"
type = "cell"
radius = 2
count = 10
[measure]
every = 5
)";

Model model_with(const std::vector<Override>& changes) {
  return make_model(parse_document(kModel, "kModel"), "kModel", ".", changes);
}

struct Played {
  std::map<std::string, ReplicaResult> finished;
  std::map<std::string, std::string> failed;
  int64_t mcs = 0;
};

SweepEvents events_into(Played& played) {
  SweepEvents events;
  events.is_wanted = [](const SweepRun&) { return true; };
  events.finished = [&](const SweepRun& run, const Model&, const ReplicaResult& result) {
    EXPECT_TRUE(played.finished.emplace(run.name, result).second) << run.name << " was played twice";
  };
  events.failed = [&](const SweepRun& run, const std::string& why) { played.failed[run.name] = why; };
  events.go_on = [&](int64_t mcs) {
    EXPECT_GT(mcs, played.mcs);
    played.mcs = mcs;
    return true;
  };
  return events;
}

TEST(Sweep, RunsAreWhatTheyAreAlone) {
  Sweep sweep({{"temperature", {"5", "20"}}}, 3, model_with, {.engine = "threads", .threads = 2});
  ASSERT_EQ(sweep.runs().size(), 6u);
  EXPECT_EQ(sweep.runs()[4].name, "temperature=20, replica 2");
  Played played;
  sweep.play(events_into(played));
  EXPECT_TRUE(played.failed.empty());
  EXPECT_EQ(played.mcs, 6 * 12);
  for (const SweepRun& run : sweep.runs()) {
    ASSERT_TRUE(played.finished.contains(run.name));
    const ReplicaResult& result = played.finished[run.name];
    auto model = std::make_shared<Model>(
        model_with(overrides_of(sweep.variations(), sweep.combinations()[run.combination])));
    model->seed = run.seed;
    Simulation alone(model, initial_state(*model), {.engine = "threads", .threads = 1});
    alone.advance(12);
    EXPECT_EQ(result.hash, state_hash(alone.engine().state())) << run.name;
    ASSERT_EQ(result.rows.size(), 4u);  // MCS 0, 5, 10 and 12
    EXPECT_EQ(result.rows[1].mcs, 5);
    EXPECT_EQ(result.rows[3].mcs, 12);
    EXPECT_EQ(result.rows[3].cells, 10);
  }
}

TEST(Sweep, PlaysOnlyWhatIsWanted) {
  Sweep sweep({{"temperature", {"5", "20"}}}, 2, model_with, {.engine = "serial"});
  Played played;
  SweepEvents events = events_into(played);
  events.is_wanted = [](const SweepRun& run) { return run.replica == 2; };
  sweep.play(events);
  EXPECT_EQ(played.finished.size(), 2u);
  EXPECT_TRUE(played.finished.contains("temperature=5, replica 2"));
}

TEST(Sweep, StopsWhenItIsTold) {
  Sweep sweep({}, 20, model_with, {.engine = "threads", .threads = 2});
  Played played;
  SweepEvents events = events_into(played);
  events.go_on = [](int64_t mcs) { return mcs < 30; };
  sweep.play(events);
  EXPECT_LT(played.finished.size(), 20u);
  EXPECT_TRUE(played.failed.empty());
}

// 200 cells of radius 2 do not fit; where it cannot begin, a run fails for itself.
TEST(Sweep, FailuresDoNotStopTheOthers) {
  Sweep sweep({{"initial.0.count", {"10", "200", "12"}}}, 2, model_with, {.engine = "threads", .threads = 2});
  Played played;
  sweep.play(events_into(played));
  EXPECT_EQ(played.finished.size(), 4u);
  ASSERT_EQ(played.failed.size(), 2u);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "was to place 200 cells",
                      played.failed["initial.0.count=200, replica 1"]);
}

TEST(Sweep, WhatTheListenerThrowsComesOut) {
  Sweep sweep({}, 8, model_with, {.engine = "threads", .threads = 2});
  Played played;
  SweepEvents events = events_into(played);
  events.finished = [](const SweepRun&, const Model&, const ReplicaResult&) {
    throw Failure("the disk is full");
  };
  EXPECT_THROW(sweep.play(events), Failure);
}

TEST(Sweep, ModelsAreCheckedBeforeAnythingIsPlayed) {
  const auto message_of = [](std::vector<Variation> variations) -> std::string {
    try {
      Sweep(std::move(variations), 1, model_with, {});
    } catch (const UserError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message_of({{"temperature", {"10", "-5"}}}),
            "--vary temperature=-5: temperature is -5, but must lie between 0 and 1e+09 (energy).");
  EXPECT_EQ(message_of({{"temperatur", {"10"}}}),
            "--vary temperatur=10: unknown key temperatur; did you mean temperature?");
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "changes which columns measures.csv has",
                      message_of({{"measure.explored", {"false", "true"}}}));
}

}  // namespace
}  // namespace kiln
