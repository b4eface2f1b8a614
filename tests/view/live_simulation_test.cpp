// A simulation without a folder, that something plays now and then while pages watch.
#include "view/live_simulation.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "base/json.hpp"
#include "base/text.hpp"
#include "core/state.hpp"
#include "model/file/read.hpp"

namespace kiln::view {
namespace {

constexpr const char* kStillModel = R"(mcs = 50
temperature = 10
[lattice]
size = [40, 36]
[types.a]
volume = {target = 40, lambda = 2}
act = {lambda = 20, max = 8}
[[initial]]
kind = "boxes"
types = {a = 1}
box = [6, 6]
spacing = [8, 9]
)";

// Plays it in stretches, as a program does.
class Played : public LiveSimulation::Owner {
 public:
  Played() : simulation_(model(), initial_state(*model()), options()) {}

  Simulation& simulation() { return simulation_; }
  bool plays() const override { return plays_; }
  void between_stretches(const std::function<void()>& look) override {
    const std::lock_guard lock(mutex_);
    if (!plays_) look();
  }
  void play(int64_t mcs, LiveSimulation* live) {
    plays_ = true;
    for (int64_t i = 0; i < mcs; ++i) {
      const std::lock_guard lock(mutex_);
      simulation_.advance(1);
      if (live != nullptr) live->pulse(simulation_.mcs());
    }
    plays_ = false;
  }
  // While nothing plays it.
  void change(const std::function<void()>& what) {
    const std::lock_guard lock(mutex_);
    what();
  }

 private:
  static std::shared_ptr<const Model> model() {
    static const auto model = std::make_shared<const Model>(parse_model(kStillModel, "m.toml", "", {}));
    return model;
  }
  static EngineOptions options() {
    EngineOptions options;
    options.engine = "threads";
    options.threads = 2;
    return options;
  }

  std::mutex mutex_;
  std::atomic<bool> plays_ = false;
  Simulation simulation_;
};

int64_t mcs_shown_by(const NumberedFrame& frame) {
  uint32_t length = 0;
  std::memcpy(&length, frame.bytes->data() + 4, 4);
  return *whole_in(*json_member(frame.bytes->substr(8, length), "mcs"));
}

NumberedFrame next_frame(LiveSimulation& live, int64_t after, const std::string& field = "") {
  NumberedFrame frame;
  while (!frame.bytes) frame = live.frame({after, std::nullopt, field});
  return frame;
}

TEST(ViewSimulation, WatchersChangeNoBit) {
  Played alone, watched;
  alone.play(300, nullptr);
  LiveSimulation live(watched.simulation(), "s", watched);
  std::atomic<bool> ends = false;
  std::vector<std::thread> watchers;
  for (const char* field : {"", "act", ""})
    watchers.emplace_back([&, field] {
      int64_t number = 0, mcs = 0;
      while (!ends || mcs < 300) {
        const NumberedFrame frame = live.frame({number, std::nullopt, field});
        live.status();
        if (!frame.bytes) continue;
        EXPECT_GT(frame.number, number);
        EXPECT_GE(mcs_shown_by(frame), mcs);
        number = frame.number;
        mcs = mcs_shown_by(frame);
      }
    });
  for (int i = 0; i < 30; ++i) watched.play(10, &live);
  ends = true;
  for (std::thread& watcher : watchers) watcher.join();
  EXPECT_EQ(state_hash(watched.simulation().engine().state()),
            state_hash(alone.simulation().engine().state()));
}

TEST(ViewSimulation, IsShownWhileItStandsStill) {
  Played played;
  LiveSimulation live(played.simulation(), "s", played);
  EXPECT_EQ(*json_member(live.status(), "state"), "\"idle\"");
  const NumberedFrame first = next_frame(live, 0);
  EXPECT_EQ(mcs_shown_by(first), 0);
  EXPECT_FALSE(live.frame({first.number, std::nullopt, ""}).bytes);
  PictureWish wish;
  wish.colour = "type";
  EXPECT_TRUE(live.picture(wish).body->starts_with("\x89PNG"));
  // The same MCS, but other cells.
  played.change([&] { live.cells_changed(); });
  const NumberedFrame changed = next_frame(live, first.number);
  EXPECT_EQ(mcs_shown_by(changed), 0);
  EXPECT_GT(next_frame(live, 0, "act").number, changed.number);
  played.play(70, &live);
  EXPECT_EQ(mcs_shown_by(next_frame(live, changed.number)), 70);
  // The model ends at 50.
  EXPECT_EQ(*json_member(live.status(), "total"), "70");
  live.set_goal(90);
  EXPECT_EQ(*json_member(live.status(), "total"), "90");
}

TEST(ViewSimulation, RowsOfMeasuresBecomeColumns) {
  Played played;
  LiveSimulation live(played.simulation(), "s", played);
  EXPECT_EQ(live.measures(), nullptr);
  std::vector<MeasureRow> rows(2);
  rows[1].mcs = 10;
  live.take_rows(rows, played.simulation().model());
  const Measures two = live.measures();
  ASSERT_NE(two, nullptr);
  EXPECT_EQ((*two)[0].name, "mcs");
  EXPECT_EQ((*two)[0].values, (std::vector<double>{0, 10}));
  EXPECT_EQ(live.measures(), two) << "another table where nothing is new";
  rows.emplace_back().mcs = 20;
  live.take_rows(rows, played.simulation().model());
  EXPECT_EQ((*live.measures())[0].values, (std::vector<double>{0, 10, 20}));
  for (const TableColumn& column : *live.measures()) EXPECT_EQ(column.values.size(), 3u) << column.name;
}

TEST(ViewSimulation, ClosedItWaitsForNothing) {
  Played played;
  LiveSimulation live(played.simulation(), "s", played);
  next_frame(live, 0);
  std::thread person([&] {
    // Waits for the next frame until there is none any more.
    while (*json_member(live.status(), "state") != "\"ended\"") live.frame({1000, std::nullopt, ""});
  });
  live.close();
  live.close();
  person.join();
  PictureWish wish;
  EXPECT_EQ(live.picture(wish).status, 409);
  EXPECT_EQ(live.steer("{}").status, 403);
}

}  // namespace
}  // namespace kiln::view
