// Runs that are watched and steered: the same bits as without watchers, and again when they are repeated.
#include "view/live_run.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.hpp"
#include "view/folder_source.hpp"
#include "view/measure_plots.hpp"
#include "view/run_fixture.hpp"
#include "view/steerer.hpp"

namespace kiln::view {
namespace {

TEST_F(ViewRun, WatchersChangeNoBit) {
  const std::string hash = hash_of(*run_in("alone"));
  const auto run = run_in("watched");
  LiveRun live(*run, nullptr);
  run->add(live);
  std::atomic<bool> ends = false;
  std::atomic<int> frames = 0;
  std::vector<std::thread> watchers;
  for (const char* field : {"", "act", "", "no such thing"})
    watchers.emplace_back([&, field] {
      int64_t number = 0, mcs = -1;
      while (!ends) {
        const NumberedFrame frame = live.frame({number, std::nullopt, field});
        if (!frame.bytes) continue;
        EXPECT_GT(frame.number, number);
        EXPECT_GE(mcs_of(frame), mcs);
        number = frame.number;
        mcs = mcs_of(frame);
        ++frames;
        live.status();
      }
    });
  EXPECT_EQ(hash_of(*run), hash);
  live.close();
  ends = true;
  for (std::thread& watcher : watchers) watcher.join();
  EXPECT_GE(frames, 2);
  EXPECT_EQ(*json_member(live.status(), "state"), "\"ended\"");
  EXPECT_EQ(*json_member(live.status(), "mcs"), "80");
  const Measures measures = live.measures();
  ASSERT_NE(measures, nullptr);
  EXPECT_EQ(measures->at(0).name, "mcs");
  EXPECT_EQ(measures->at(0).values.size(), 21u);
  EXPECT_EQ(live.measures(), measures);
  EXPECT_EQ(mcs_of(live.frame({})), 80);
}

TEST_F(ViewRun, NobodyWatchingTakesNoFrames) {
  const auto run = run_in("alone");
  LiveRun live(*run, nullptr);
  run->add(live);
  hash_of(*run);
  EXPECT_EQ(live.frame({}).number, 2);  // the first state and the last
}

// Commands that are given while it runs.
TEST_F(ViewRun, PausesStepsAndGoesOn) {
  Steerer steerer;
  const auto run =
      run_in("steered", &steerer, {"mcs=100000000", "output.lattice_every=0", "measure.every=1000"});
  const InterruptGuard interrupt;
  LiveRun live(*run, &steerer);
  steerer.attach(*run, interrupt, [&live] { live.serve_frames(true); });
  run->add(live);
  const auto mcs = [&live] { return *whole_in(*json_member(live.status(), "mcs")); };
  std::thread person([&] {
    EXPECT_EQ(steerer.take(R"({"do": "pause"})").status, 200);
    EXPECT_EQ(*json_member(live.status(), "state"), "\"paused\"");
    // Also while it stands still, but not the same again.
    const NumberedFrame still = live.frame({0, std::nullopt, "act"});
    EXPECT_EQ(mcs_of(still), mcs());
    EXPECT_FALSE(live.frame({still.number, std::nullopt, "act"}).bytes);
    PictureWish wish;
    wish.colour = "type";
    EXPECT_TRUE(live.picture(wish).body->starts_with("\x89PNG"));
    wish.colour = "no such thing";
    EXPECT_EQ(live.picture(wish).status, 400);
    wish.mcs = 3;
    EXPECT_THROW(live.picture(wish), UserError);
    for (int i = 0; i < 3; ++i) {
      const int64_t before = mcs();
      EXPECT_EQ(steerer.take(R"({"do": "step"})").status, 200);
      // The next command waits until the step is over.
      EXPECT_EQ(steerer.take(R"({"do": "pause"})").status, 200);
      EXPECT_EQ(mcs(), before + 1);
    }
    const int64_t paused_at = mcs();
    EXPECT_EQ(steerer.take(R"({"do": "go"})").status, 200);
    while (mcs() < paused_at + 3) std::this_thread::yield();
    for (const char* wrong : {"", "{}", R"({"do": "fly"})", R"({"do": "set"})", R"({"do": "set", "set": 3})"})
      EXPECT_EQ(steerer.take(wrong).status, 400) << wrong;
    raise(SIGINT);
  });
  EXPECT_EQ(run->go(&interrupt), Ending::signal);
  steerer.close();
  person.join();
  EXPECT_EQ(steerer.take(R"({"do": "go"})").status, 409);
}

// As a run that was not paused: with a checkpoint, after the MCS at which it stood.
TEST_F(ViewRun, TheTimeLimitEndsAPausedRun) {
  const std::vector<std::string> endless = {"mcs=100000000", "output.lattice_every=0", "measure.every=1000"};
  Steerer steerer;
  const auto run = run_in("paused", &steerer, endless, {4, 0});
  const InterruptGuard interrupt;
  LiveRun live(*run, &steerer);
  steerer.attach(*run, interrupt, [&live] { live.serve_frames(true); });
  run->add(live);
  int64_t paused_at = 0;
  std::thread person([&] {
    if (steerer.take(R"({"do": "pause"})").status == 200)
      paused_at = *whole_in(*json_member(live.status(), "mcs"));
  });
  EXPECT_EQ(run->go(&interrupt), Ending::time_limit);
  steerer.close();
  person.join();
  EXPECT_GT(paused_at, 0);
  EXPECT_EQ(run->record().mcs, paused_at);
  EXPECT_EQ(run->record().stopped_by, "the time limit");
  const auto rest = run_in("paused", &steerer, endless, {0.001, 0}, IfExists::resume);
  EXPECT_EQ(rest->start_mcs(), paused_at);
}

TEST_F(ViewRun, ASteeredRunIsRepeatedToTheLastBit) {
  Steerer steerer;
  const auto run = run_in("steered", &steerer, kLong);
  const InterruptGuard interrupt;
  LiveRun live(*run, &steerer);
  steerer.attach(*run, interrupt, [&live] { live.serve_frames(true); });
  run->add(live);
  std::thread person([&] {
    steerer.take(R"({"do": "pause"})");
    EXPECT_EQ(steerer.take(R"({"do": "set", "set": "temperature=30"})").status, 200);
    EXPECT_EQ(steerer.take(R"({"do": "set", "set": "adhesion.a.b=1"})").status, 200);
    steerer.take(R"({"do": "step"})");
    EXPECT_EQ(steerer.take(R"({"do": "set", "set": "types.a.act.lambda=80"})").status, 200);
    const http::Reply refused = steerer.take(R"({"do": "set", "set": "temperature=-1"})");
    EXPECT_EQ(refused.status, 400);
    EXPECT_NE(refused.body->find("temperature is -1"), std::string::npos) << *refused.body;
    EXPECT_NE(steerer.numbers().find(R"({"key": "temperature", "value": 30})"), std::string::npos);
    steerer.take(R"({"do": "go"})");
  });
  const std::string hash = hash_of(*run);
  steerer.close();
  person.join();
  EXPECT_EQ(steerer.changes(), 3);
  EXPECT_EQ(run->record().steered_by, "kiln run --steer");

  const std::vector<Change> changes = read_changes(folder_ / "steered" / "steering.jsonl");
  ASSERT_EQ(changes.size(), 3u);
  EXPECT_EQ(changes[2].set, "types.a.act.lambda=80");
  Replay replay(changes);
  const auto again = run_in("again", &replay, kLong);
  replay.attach(*again);
  EXPECT_EQ(hash_of(*again), hash);
  EXPECT_EQ(read_changes(folder_ / "again" / "steering.jsonl").size(), 3u);
  EXPECT_NE(hash_of(*run_in("unsteered", nullptr, kLong)), hash);
}

TEST_F(ViewRun, AFolderShowsItsSnapshots) {
  const auto run = run_in("finished");
  hash_of(*run);
  FolderSource source(folder_ / "finished");
  EXPECT_NE(source.status().find("\"snapshots\": [0, 20, 40, 60, 80]"), std::string::npos) << source.status();
  EXPECT_EQ(mcs_of(source.frame({})), 80);
  EXPECT_EQ(mcs_of(source.frame({0, 40, "act"})), 40);
  EXPECT_EQ(source.frame({0, 40, "act"}).bytes, source.frame({0, 40, "act"}).bytes);
  EXPECT_THROW(source.frame({0, 41}), UserError);
  PictureWish wish;
  wish.colour = "act";
  wish.mcs = 40;
  EXPECT_TRUE(source.picture(wish).body->starts_with("\x89PNG"));
  wish.mcs = 41;
  EXPECT_THROW(source.picture(wish), UserError);
  EXPECT_EQ(source.steer("{}").status, 403);
  EXPECT_THROW(FolderSource(folder_ / "nowhere"), UserError);
}

TEST_F(ViewRun, PlotsOfAFolderWaitForWholeRows) {
  const auto run = run_in("growing");
  hash_of(*run);
  FolderSource source(folder_ / "growing");
  MeasurePlots plots;
  const std::string list = plots.list(source);
  const Bytes energy = plots.svg(source, "Energy", 40);
  ASSERT_NE(energy, nullptr) << list;
  EXPECT_NE(energy->find("class=\"mark\""), std::string::npos);
  EXPECT_EQ(plots.svg(source, "energy", 40), nullptr);
  const fs::path table = folder_ / "growing" / "measures.csv";
  std::string row;
  {
    std::ifstream in(table);
    while (std::getline(in, row) && !row.starts_with("80,")) {
    }
  }
  row.replace(0, 2, "84");
  std::ofstream(table, std::ios::app) << row.substr(0, row.size() / 2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(plots.list(source), list);
  EXPECT_EQ(plots.svg(source, "Energy", 40), energy);
  EXPECT_EQ(plots.svg(source, "Energy", 84)->find("class=\"mark\""), std::string::npos);
  std::ofstream(table, std::ios::app) << row.substr(row.size() / 2) << '\n';
  while (plots.list(source) == list) std::this_thread::yield();
  EXPECT_NE(plots.svg(source, "Energy", 84)->find("class=\"mark\""), std::string::npos);
}

TEST_F(ViewRun, OnlyNumbersOfThePhysicsChangeOnTheWay) {
  const auto model = small_model();
  EXPECT_EQ(changed_model(*model, "temperature=12")->phases[0].physics.temperature, 12);
  for (const char* wrong :
       {"temperature=hot", "temperature=true", "temperature=[1]", "lattice.size=3", "mcs=3", "seed=4",
        "initial.0.file=1", "nonsense", "=3", "types.a.colour=red", "fields.f.file=/etc/passwd",
        "types.a.volume.lamda=3", "types.c.volume.lambda=3", "temperature=1e400"})
    EXPECT_THROW(changed_model(*model, wrong), UserError) << wrong;
}

TEST_F(ViewRun, BadRecordsOfChangesAreRefused) {
  const fs::path file = folder_ / "steering.jsonl";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return read_changes(file).size();
  };
  EXPECT_EQ(read(""), 0u);
  EXPECT_EQ(read("{\"mcs\": 3, \"set\": \"temperature=4\"}\n{\"mcs\": 3, \"set\": \"temperature=5\"}\n"), 2u);
  for (const char* wrong :
       {"x\n", "{}\n", "{\"mcs\": 0, \"set\": \"a=1\"}\n", "{\"mcs\": \"x\", \"set\": \"a=1\"}\n",
        "{\"mcs\": 3}\n", "{\"mcs\": 3, \"set\": 4}\n",
        "{\"mcs\": 3, \"set\": \"a=1\"}\n{\"mcs\": 2, \"set\": \"a=1\"}\n"})
    EXPECT_THROW(read(wrong), UserError) << wrong;
}

}  // namespace
}  // namespace kiln::view
