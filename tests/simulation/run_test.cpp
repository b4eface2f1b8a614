// The run loop: observers that are added, and a controller that changes the run on its way.
#include "simulation/run/run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/error.hpp"
#include "model/edit.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<const Model> model_of(const std::vector<std::string>& set = {}) {
  return std::make_shared<const Model>(parse_model(R"(mcs = 60
[lattice]
size = [40, 36]
[types.a]
volume = {target = 40, lambda = 2}
[types.b]
volume = {target = 40, lambda = 2}
[[initial]]
kind = "boxes"
types = {a = 1, b = 1}
box = [6, 6]
spacing = [8, 9]
[measure]
every = 4
cells_every = 6
[[pictures]]
name = "view"
width = 80
every = 20
[output]
checkpoint_every = 15
lattice_every = 20
)",
                                                   "m.toml", "", set));
}

class RunLoop : public testing::Test {
 protected:
  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
    folder_ = fs::temp_directory_path() / ("kiln-run-" + std::to_string(getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  RunSettings settings(const std::string& name, IfExists if_exists = IfExists::refuse) const {
    RunSettings settings;
    settings.engine.engine = "threads";
    settings.out = folder_ / name;
    settings.given = "as given";
    settings.if_exists = if_exists;
    return settings;
  }
  std::string read(const fs::path& file) const {
    std::ifstream in(folder_ / file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  void expect_same_files(const std::string& a, const std::string& b) const {
    for (const char* file : {"measures.csv", "cells.csv", "lags.csv", "pictures/view_00000060.png",
                             "pictures/view_00000040.png", "lattice.xdmf"}) {
      EXPECT_FALSE(read(fs::path(a) / file).empty()) << file;
      EXPECT_TRUE(read(fs::path(a) / file) == read(fs::path(b) / file)) << file;
    }
  }

  fs::path folder_;
};

// Every 7 MCS: notes what it sees, and how often it was asked for what it remembers.
class Visitor : public Observer {
 public:
  int64_t next_due(int64_t mcs) const override { return next_multiple(mcs, 7); }
  Work look(const Glance& now) override {
    stops.push_back(now.mcs());
    if (!is_multiple(now.mcs(), 7)) return {};
    return {[this](const State& state) { states.push_back(state.mcs); }};
  }
  void pulse(int64_t mcs) override { pulses.push_back(mcs); }
  Memory remember() override {
    return [stops = double(stops.size())](NamedArrays& to) { to["visitor"] = {stops}; };
  }
  void finish() override { finished = true; }

  std::vector<int64_t> stops, states, pulses;
  bool finished = false;
};

TEST_F(RunLoop, AnObserverIsAddedWithItsOwnRhythm) {
  kiln::Run plain(model_of(), settings("plain"), kiln::Run::Clock::now());
  EXPECT_EQ(plain.go(nullptr), Ending::finished);
  Visitor visitor;
  kiln::Run run(model_of(), settings("r"), kiln::Run::Clock::now());
  run.add(visitor);
  EXPECT_EQ(run.go(nullptr), Ending::finished);
  EXPECT_EQ(visitor.states, (std::vector<int64_t>{0, 7, 14, 21, 28, 35, 42, 49, 56}));
  EXPECT_EQ(visitor.stops.front(), 0);
  EXPECT_EQ(visitor.stops.back(), 60);
  EXPECT_TRUE(std::is_sorted(visitor.stops.begin(), visitor.stops.end()));
  EXPECT_EQ(visitor.pulses.back(), 60);
  EXPECT_TRUE(visitor.finished);
  // From before it saw the last state.
  EXPECT_EQ(read_checkpoint(run.folder().checkpoint()).info.extra.at("visitor"),
            std::vector<double>{double(visitor.stops.size()) - 1});
  EXPECT_EQ(run.record().hash, plain.record().hash);
  expect_same_files("r", "plain");
  EXPECT_EQ(read("r/source.toml"), "as given");
}

// Every 10 MCS: a picture that takes its time, while the run stands still.
class Painter : public Observer {
 public:
  static constexpr auto kTime = std::chrono::milliseconds(30);

  int64_t next_due(int64_t mcs) const override { return next_multiple(mcs, 10); }
  Work look(const Glance&) override {
    return {[this](const State&) {
              std::this_thread::sleep_for(kTime);
              ++pictures;
            },
            false};
  }

  int pictures = 0;
};

// The rate is of computing alone. Both clocks run within the time of the whole, and do not overlap: were
// pictures counted twice, their sum would exceed it.
TEST_F(RunLoop, TheRateDoesNotCountThePictures) {
  const auto start = kiln::Run::Clock::now();
  Painter painter;
  kiln::Run run(model_of(), settings("r"), start);
  run.add(painter);
  EXPECT_EQ(run.go(nullptr), Ending::finished);
  const double all = std::chrono::duration<double>(kiln::Run::Clock::now() - start).count();
  const double drawing = std::chrono::duration<double>(Painter::kTime).count() * painter.pictures;
  EXPECT_GE(painter.pictures, 7);
  EXPECT_GE(run.record().output_seconds, drawing);
  EXPECT_LE(run.record().seconds + run.record().output_seconds, all);
  EXPECT_DOUBLE_EQ(run.record().site_updates_per_second,
                   double(run.record().sites) * double(run.record().mcs) / run.record().seconds);
}

// As if the first part had begun 100 s ago, and the second 10 s.
TEST_F(RunLoop, TheTimeOfAllPartsIsCounted) {
  using std::chrono::seconds;
  RunSettings stops = settings("r");
  stops.times = {0.001, 0};
  kiln::Run first(model_of(), stops, kiln::Run::Clock::now() - seconds(100));
  EXPECT_EQ(first.go(nullptr), Ending::time_limit);
  EXPECT_GE(first.record().seconds_in_all, 100);
  kiln::Run second(model_of(), settings("r", IfExists::resume), kiln::Run::Clock::now() - seconds(10));
  EXPECT_EQ(second.go(nullptr), Ending::finished);
  EXPECT_GE(second.record().seconds_in_all, 110);
  EXPECT_LT(second.record().seconds_in_all, first.record().seconds_in_all + 100);
}

// Every 10 MCS: warms, and at MCS 30 takes all of cell 1 away.
class Warming : public Controller {
 public:
  std::string name() const override { return "a test"; }
  int64_t next_due(int64_t mcs) const override { return next_multiple(mcs, 10); }
  Answer act() override {
    const int64_t mcs = run->simulation().mcs();
    asked.push_back(mcs);
    if (mcs == fails_at) return Answer::failed;
    run->change_model(model_of({"temperature=" + std::to_string(20 + mcs)}));
    if (mcs == 30) {
      State state;
      run->simulation().engine().begin_copy(state)();
      const State old = state;
      for (CellId& id : state.ids)
        if (id == 1) id = kMedium;
      complete_edit(run->model(), state, old);
      run->change_state(std::move(state));
    }
    return mcs == stops_at ? Answer::stop : Answer::go_on;
  }

  Run* run = nullptr;
  int64_t stops_at = -1, fails_at = -1;
  std::vector<int64_t> asked;
};

class Steered : public RunLoop {
 protected:
  Ending play(const std::string& name, Warming& warming, IfExists if_exists = IfExists::refuse,
              const WallTimes& times = {}) {
    RunSettings with = settings(name, if_exists);
    with.controller = &warming;
    with.times = times;
    kiln::Run run(model_of(), with, kiln::Run::Clock::now());
    warming.run = &run;
    const Ending ending = run.go(nullptr);
    record_ = run.record();
    return ending;
  }
  RunRecord record_;
};

TEST_F(Steered, ItIsRecordedAndSeesEveryMultiple) {
  Warming warming;
  EXPECT_EQ(play("r", warming), Ending::finished);
  EXPECT_EQ(warming.asked, (std::vector<int64_t>{10, 20, 30, 40, 50, 60}));
  EXPECT_EQ(record_.steered_by, "a test");
  EXPECT_NE(read("r/run.json").find("\"steered_by\": \"a test\""), std::string::npos);
  EXPECT_NE(read("r/model.toml").find("temperature = 20\n"), std::string::npos);  // what it began with
  kiln::Run plain(model_of(), settings("plain"), kiln::Run::Clock::now());
  plain.go(nullptr);
  EXPECT_NE(record_.hash, plain.record().hash);
  EXPECT_EQ(plain.record().steered_by, "");
}

TEST_F(Steered, StoppedOrFailedItGoesOnToTheSameBitsAndTables) {
  Warming whole;
  ASSERT_EQ(play("whole", whole), Ending::finished);
  const std::string hash = record_.hash;
  for (const int64_t at : {20, 30, 50}) {
    const std::string name = "stopped" + std::to_string(at);
    Warming stops, rest;
    stops.stops_at = at;
    EXPECT_EQ(play(name, stops), Ending::controller);
    EXPECT_TRUE(record_.interrupted);
    EXPECT_EQ(record_.stopped_by, "the call in a test");
    EXPECT_EQ(record_.mcs, at);
    EXPECT_EQ(play(name, rest, IfExists::resume), Ending::finished);
    EXPECT_EQ(rest.asked.front(), at + 10);  // what it left is in the checkpoint
    EXPECT_EQ(record_.hash, hash);
    expect_same_files(name, "whole");
  }
  for (const int64_t at : {10, 40, 60}) {
    const std::string name = "failed" + std::to_string(at);
    Warming fails, rest;
    fails.fails_at = at;
    EXPECT_EQ(play(name, fails), Ending::controller);
    EXPECT_EQ(play(name, rest, IfExists::resume), Ending::finished);
    EXPECT_EQ(rest.asked.front(), at);  // nothing came of it
    EXPECT_EQ(record_.hash, hash);
    expect_same_files(name, "whole");
  }
}

// A limit so short that every part has time for one MCS.
TEST_F(Steered, InterruptedAnywhereItGoesOnToTheSameBitsAndTables) {
  Warming whole;
  ASSERT_EQ(play("whole", whole), Ending::finished);
  const std::string hash = record_.hash;
  std::vector<int64_t> asked;
  int parts = 0;
  for (Ending ending = Ending::time_limit; ending == Ending::time_limit; ++parts) {
    Warming part;
    ending = play("r", part, IfExists::resume, {0.001, 0});
    asked.insert(asked.end(), part.asked.begin(), part.asked.end());
  }
  EXPECT_EQ(parts, 60);
  EXPECT_EQ(asked, whole.asked);
  EXPECT_EQ(record_.hash, hash);
  expect_same_files("r", "whole");
}

TEST_F(Steered, WithoutWhatSteeredItARunDoesNotGoOn) {
  Warming stops;
  stops.stops_at = 20;
  play("r", stops);
  try {
    kiln::Run(model_of(), settings("r", IfExists::resume), kiln::Run::Clock::now());
    FAIL() << "nothing was thrown";
  } catch (const UserError& e) {
    EXPECT_EQ(e.what(), (folder_ / "r").string() +
                            " was steered by a test, and can only go on with what steered it: kiln.run(..., "
                            "call=..., resume=True).");
  }
}

TEST_F(Steered, WhatTheFilesAreMadeOfCannotChange) {
  class Bad : public Warming {
   public:
    Answer act() override {
      for (const char* change : {"measure.every=2", "mcs=70", "units.voxel_um=2", "output.lattice_every=3",
                                 "pictures.0.width=90"}) {
        try {
          run->change_model(model_of({change}));
        } catch (const UserError& e) {
          said.push_back(e.what());
        }
      }
      return Answer::stop;
    }
    std::vector<std::string> said;
  };
  Bad bad;
  play("r", bad);
  const std::string rest = " cannot change in a run that writes a folder.";
  EXPECT_EQ(bad.said, (std::vector<std::string>{"[measure]" + rest, "mcs" + rest, "[units]" + rest,
                                                "[output]" + rest, "[[pictures]]" + rest}));
  EXPECT_EQ(record_.steered_by, "");
}

}  // namespace
}  // namespace kiln
