// Runs that are killed, whose disk is full, whose checkpoints are damaged: all of them go on to the same bits
// and the same tables as a run that nothing happened to.
#include <set>

#include "core/random.hpp"
#include "survival_fixture.hpp"

namespace kiln {
namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

// Fixed numbers between 0 and 1.
class Moments {
 public:
  double next() { return unit_double(draw(41, Stream::pictures, next_++, 0).ab()); }

 private:
  uint64_t next_ = 0;
};

class KillTest : public Survival {
 protected:
  bool is_writing_checkpoint() const {
    for (const auto& entry : fs::directory_iterator(folder_ / "r"))
      if (entry.path().filename().string().rfind(".checkpoint-next.h5", 0) == 0) return true;
    return false;
  }
  void wait(pid_t child, Milliseconds time) const {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until && !has_ended(child))
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  void wait_for_checkpoint(pid_t child) const {
    while (!has_ended(child) && !(fs::exists(folder_ / "r") && is_writing_checkpoint())) {
    }
  }
};

// Every other one waits, after its moment, for a checkpoint that is just being written. The number of threads
// changes from life to life.
TEST_F(KillTest, FiftyKillsResumeToTheSameBitsAndTables) {
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(kiln("run busy.toml --out again --json").exit_code, 0);
  const Milliseconds life = std::chrono::steady_clock::now() - start;
  Moments moments;
  int kills = 0, while_writing = 0, finished = 0;
  for (int lives = 0; kills < 50; ++lives) {
    const pid_t child = spawn({"run", "busy.toml", "--out", "r", "--resume", "--json", "--engine", "threads",
                               "--threads", std::to_string(1 + lives % 2)});
    wait(child, moments.next() * life);
    if (lives % 2 == 1) wait_for_checkpoint(child);
    kill(child, SIGKILL);
    const int exit_code = exit_code_of(child);
    if (exit_code == -1) {
      ++kills;
      while_writing += fs::exists(folder_ / "r") && is_writing_checkpoint() ? 1 : 0;
      continue;
    }
    ASSERT_EQ(exit_code, 0) << read("log");
    expect_as_never_stopped("r");
    fs::remove_all(folder_ / "r");
    ++finished;
  }
  const Result last = kiln("run busy.toml --out r --resume --json");
  ASSERT_EQ(last.exit_code, 0) << last.out;
  expect_as_never_stopped("r");
  EXPECT_GE(while_writing, 1);
  RecordProperty("kills_while_a_checkpoint_was_written", while_writing);
  RecordProperty("runs_finished", finished + 1);
}

// Cells grow, divide by size, die by chance, and feed on one substance while they give off another.
constexpr const char* kTissue = R"toml(mcs = 120
temperature = 5
[lattice]
size = [48, 48]
[units]
seconds_per_mcs = 60
[substances.food]
diffusion = 0.1
start = "1 + 0.01 * x"
coarsen = 2
[substances.waste]
diffusion = 0.02
update_every = 4
[types.cell]
volume = { target = 30, lambda = 3 }
growth = { rate = 60, up_to = 80 }
properties = { dye = { start = "uniform(0, 1)", extensive = true }, clock = 0 }
equations = { clock = "1 / h(1) + 0.001 * mean(food)" }
persistence = { lambda = 4, dt = 3 }
takes_up.food = 0.01
secretes.waste = { rate = "dye", per = "cell" }
chemotaxis = { lambda = 30, substance = "food" }
[adhesion]
default = 4
[[initial]]
kind = "seeds"
type = "cell"
count = 6
radius = 3
[[rules]]
types = "cell"
when = "volume >= 60"
do = "divide"
[[rules]]
types = "cell"
rate = "0.3 / h(1)"
do = "die"
over = "min(10)"
[measure]
every = 5
cells_every = 10
[output]
checkpoint_every = 2
)toml";

// Ids, the tree of descent, properties, substances and their books are all behind a checkpoint; `update_every
// = 4` makes half of the checkpoints lie between two updates.
TEST_F(KillTest, KillsOfCellsThatDivideResumeToTheSameTreeOfDescent) {
  write("tissue.toml", kTissue);
  const auto start = std::chrono::steady_clock::now();
  const Result whole = kiln("run tissue.toml --out never-stopped --json");
  const Milliseconds life = std::chrono::steady_clock::now() - start;
  ASSERT_EQ(whole.exit_code, 0) << whole.out;
  const std::string lineage = read("never-stopped/lineage.csv");
  for (const char* end : {",divided,", ",died,", ",alive,"}) EXPECT_NE(lineage.find(end), std::string::npos);
  const auto expect_same = [&] {
    EXPECT_EQ(value(read("r/run.json"), "hash"), value(whole.out, "hash"));
    for (const std::string table : {"cells.csv", "measures.csv", "lineage.csv"})
      EXPECT_TRUE(read("r/" + table) == read("never-stopped/" + table)) << table;
  };
  Moments moments;
  int kills = 0, went_on = 0;
  for (int lives = 0; lives < 200 && (kills < 8 || went_on < 4); ++lives) {
    went_on += fs::exists(folder_ / "r/checkpoint.h5") ? 1 : 0;
    const pid_t child = spawn({"run", "tissue.toml", "--out", "r", "--resume", "--json", "--engine",
                               "threads", "--threads", std::to_string(1 + lives % 2)});
    wait(child, moments.next() * life);
    if (lives % 2 == 1) wait_for_checkpoint(child);
    kill(child, SIGKILL);
    const int exit_code = exit_code_of(child);
    if (exit_code == -1) {
      ++kills;
      continue;
    }
    ASSERT_EQ(exit_code, 0) << read("log");
    expect_same();
    fs::remove_all(folder_ / "r");
  }
  EXPECT_GE(kills, 8);
  EXPECT_GE(went_on, 4);
  const Result last = kiln("run tissue.toml --out r --resume --json");
  ASSERT_EQ(last.exit_code, 0) << last.out;
  expect_same();
}

TEST_F(KillTest, BeforeTheFirstCheckpointARunStartsAnew) {
  const std::string never = " --set output.checkpoint_every=0";
  ASSERT_EQ(kiln("run busy.toml --out whole --force --json" + never).exit_code, 0);
  const pid_t child = spawn({"run", "busy.toml", "--out", "r", "--set", "output.checkpoint_every=0"});
  while (!fs::exists(folder_ / "r/pictures/view_00000010.png") && !has_ended(child)) {
  }
  kill(child, SIGKILL);
  ASSERT_EQ(exit_code_of(child), -1) << read("log");
  EXPECT_FALSE(fs::exists(folder_ / "r/checkpoint.h5"));
  const Result rest = kiln("run busy.toml --out r --resume" + never);
  ASSERT_EQ(rest.exit_code, 0) << rest.out;
  EXPECT_EQ(rest.out.find("goes on"), std::string::npos) << rest.out;
  expect_as_never_stopped("r");
}

// A process can die after the last checkpoint and before the last file.
TEST_F(KillTest, WhatAFinishedRunHadNotWrittenYetIsWritten) {
  for (const char* last : {"run.json", "report.html"}) {
    fs::remove_all(folder_ / "r");
    ASSERT_EQ(kiln("run busy.toml --out r").exit_code, 0);
    fs::remove(folder_ / "r/run.json");
    fs::remove(folder_ / "r" / last);
    const std::string cells = read("r/cells.csv");
    write("r/cells.csv", cells.substr(0, cells.size() - 30));  // the last rows were lost
    ASSERT_EQ(kiln("run busy.toml --out r --resume").exit_code, 0);
    EXPECT_TRUE(fs::exists(folder_ / "r" / last));
    expect_as_never_stopped("r");
  }
}

// What a run that was killed leaves can be read under the names that the documentation has.
TEST_F(KillTest, TablesAndSnapshotsCanBeReadWhileItGoesOnAndAfterwards) {
  const pid_t child =
      spawn({"run", "busy.toml", "--out", "r", "--mcs", "400000", "--set", "output.checkpoint_every=0",
             "--set", "measure.cells_format=csv", "--set", "measure.one_cell_in=1"});
  while (!fs::exists(folder_ / "r/pictures/view_00000030.png") && !has_ended(child)) {
  }
  const std::string whole = read("whole/measures.csv"), meanwhile = read("r/measures.csv");
  EXPECT_EQ(kiln("render r --mcs 14 --out now.png --width 80").exit_code, 0);
  kill(child, SIGKILL);
  ASSERT_EQ(exit_code_of(child), -1) << read("log");
  const auto rows_until_20 = [](const std::string& table) { return table.substr(0, table.find("\n24,")); };
  EXPECT_EQ(rows_until_20(meanwhile), rows_until_20(whole));
  EXPECT_EQ(rows_until_20(read("r/measures.csv")), rows_until_20(whole));
  EXPECT_NE(read("r/cells.csv").find(",20,cell,"), std::string::npos);
  for (const auto& entry : fs::directory_iterator(folder_ / "r"))
    EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
  ASSERT_EQ(kiln("render r --mcs 14 --out later.png --width 80").exit_code, 0);
  ASSERT_EQ(kiln("render whole --mcs 14 --out whole.png --width 80").exit_code, 0);
  EXPECT_TRUE(read("later.png") == read("whole.png"));
  EXPECT_TRUE(read("now.png") == read("whole.png"));
}

class DamageTest : public Survival {
 protected:
  void cut(const fs::path& file) { fs::resize_file(folder_ / file, fs::file_size(folder_ / file) / 2); }
  void change(const fs::path& file) {
    std::fstream stream(folder_ / file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(3000);
    const char old = char(stream.get());
    stream.seekp(3000);
    stream.put(char(old ^ 1));
  }
};

// MCS 23 is the end of the first part, and nothing's rhythm: the one before is of MCS 22.
TEST_F(DamageTest, TheCheckpointBeforeIsUsed) {
  for (const std::string how : {"cut", "changed", "empty", "missing"}) {
    fs::remove_all(folder_ / "r");
    ASSERT_EQ(kiln("run busy.toml --out r --mcs 23").exit_code, 0);
    if (how == "cut") cut("r/checkpoint.h5");
    if (how == "changed") change("r/checkpoint.h5");
    if (how == "empty") fs::resize_file(folder_ / "r/checkpoint.h5", 0);
    if (how == "missing") fs::remove(folder_ / "r/checkpoint.h5");
    const Result rest = kiln("run busy.toml --out r --resume");
    ASSERT_EQ(rest.exit_code, 0) << rest.out;
    EXPECT_NE(rest.out.find("goes on at MCS 22, from r/checkpoint-before.h5"), std::string::npos) << rest.out;
    const std::string what = how == "empty"
                                 ? "note: r/checkpoint.h5 is not a checkpoint of Kiln."
                                 : "note: r/checkpoint.h5 is damaged: it was cut off or changed after "
                                   "it was written. The one before it is used instead: "
                                   "r/checkpoint-before.h5, MCS 22.";
    EXPECT_EQ(rest.out.find(what) != std::string::npos, how != "missing") << rest.out;
    EXPECT_EQ(read("r/run.json").find("The one before it is used instead") != std::string::npos,
              how != "missing");
    expect_as_never_stopped("r");
  }
}

TEST_F(DamageTest, OfBothCheckpointsIsSaidAndChangesNothing) {
  ASSERT_EQ(kiln("run busy.toml --out r --mcs 23").exit_code, 0);
  cut("r/checkpoint.h5");
  change("r/checkpoint-before.h5");
  const std::string cells = read("r/cells.csv"), record = read("r/run.json");
  const Result rest = kiln("run busy.toml --out r --resume");
  EXPECT_EQ(rest.exit_code, 2);
  EXPECT_EQ(
      rest.out,
      "kiln: r/checkpoint.h5 is damaged: it was cut off or changed after it was written. "
      "r/checkpoint-before.h5 is damaged: it was cut off or changed after it was written. There is no good "
      "checkpoint in r to go on from; --force starts the run anew.\n");
  EXPECT_EQ(read("r/cells.csv"), cells);
  EXPECT_EQ(read("r/run.json"), record);
  ASSERT_EQ(kiln("run busy.toml --out r --force").exit_code, 0);
  expect_as_never_stopped("r");
}

class DiskTest : public Survival {
 protected:
  // A run that could not write says so, and what is left, in one line; and goes on once it can.
  void expect_failure(const Result& failed) {
    EXPECT_EQ(failed.exit_code, 1) << failed.out;
    const std::size_t said = failed.out.find("kiln: cannot write r");
    ASSERT_NE(said, std::string::npos) << failed.out;
    EXPECT_EQ(failed.out.find('\n', said), failed.out.size() - 1) << failed.out;
    const bool whole =
        failed.out.find(" in r is whole; --resume goes on from it.\n", said) != std::string::npos;
    const bool none =
        failed.out.find(" There is no checkpoint yet: --resume starts r anew.\n", said) != std::string::npos;
    EXPECT_TRUE(whole || none) << failed.out;
    const std::size_t name = said + std::string("kiln: cannot write ").size();
    std::string file = failed.out.substr(name, failed.out.find(':', name) - name);
    named_.insert(fs::path(file).extension().string() == ".h5" && file.find("mcs_") != std::string::npos
                      ? "a snapshot"
                  : file.find("checkpoint") != std::string::npos ? "a checkpoint"
                  : file.find("pictures") != std::string::npos   ? "a picture"
                                                                 : file.substr(2));
  }
  std::set<std::string> named_;
};

// Every file in turn cannot be written, since something that is no file has its name.
TEST_F(DiskTest, WhateverCannotBeWrittenIsNamed) {
  for (const std::string file :
       {"model.toml", "measures.csv", "cells.csv", "lags.csv", "speeds.csv", "motility.csv", "lattice.h5",
        "lattice.xdmf", "run.json", "report.html", "pictures/view_00000010.png", "pictures/view_00000040.png",
        "pictures/view.png", ".checkpoint-next.h5", "source.toml"}) {
    fs::remove_all(folder_ / "r");
    fs::create_directories(folder_ / "r" / file / "in-the-way");
    if (file != "source.toml") write("r/source.toml", "of a run that wrote no more");
    const Result failed = kiln("run busy.toml --out r --resume");
    expect_failure(failed);
    EXPECT_NE(failed.out.find("kiln: cannot write r/" + file), std::string::npos) << failed.out;
    // At the end the checkpoint comes before all that can be made of it.
    if (file == "pictures/view_00000040.png") {
      EXPECT_NE(failed.out.find("The checkpoint of MCS 40 in r is whole"), std::string::npos) << failed.out;
    }
    fs::remove_all(folder_ / "r" / file);
    const Result rest = kiln("run busy.toml --out r --resume");
    ASSERT_EQ(rest.exit_code, 0) << file << rest.out;
    expect_as_never_stopped("r");
  }
}

// In units of 512 bytes, from nothing to just less than the largest file.
TEST_F(DiskTest, FilesThatMayNotGrowEndARunAndItGoesOn) {
  for (const int most : {0, 1, 2, 3, 5, 8, 12, 50, 100, 156, 158, 200, 300}) {
    fs::remove_all(folder_ / "r");
    const Result failed =
        shell("ulimit -f " + std::to_string(most) + " && " + KILN_BINARY + " run busy.toml --out r");
    expect_failure(failed);
    const Result rest = kiln("run busy.toml --out r --resume");
    ASSERT_EQ(rest.exit_code, 0) << most << rest.out;
    expect_as_never_stopped("r");
  }
  EXPECT_GE(named_.size(), 4u) << testing::PrintToString(named_);
}

// A disk of its own, as large as the run's results, with less and less room on it.
TEST_F(DiskTest, AFullDiskEndsARunAndItGoesOn) {
  const std::string disk = "mkdir -p disk && mount -t tmpfs -o size=2m tmpfs disk";
  const std::string alone = std::string("unshare ") + (geteuid() == 0 ? "-m" : "-rm") + " sh -c '";
  if (shell(alone + disk + "'").exit_code != 0) GTEST_SKIP() << "no disk can be mounted here";
  const std::string run = std::string(KILN_BINARY) + " run ../busy.toml --out r";
  std::set<std::string> ends;
  for (int room = 0; room <= 640; room += 32) {
    fs::remove_all(folder_ / "r");
    const std::string fill = "head -c " + std::to_string((2048 - room) * 1024) + " /dev/zero > filler";
    const Result both = shell(alone + disk + " && cd disk && " + fill + "; " + run +
                              "; echo \"ended with $?\"; rm filler; " + run + " --resume; cp -r r ..'");
    const std::size_t end = both.out.find("ended with ");
    ASSERT_NE(end, std::string::npos) << both.out;
    const int code = std::stoi(both.out.substr(end + 11));
    ends.insert(std::to_string(code));
    if (code != 0) expect_failure({code, both.out.substr(0, end)});
    expect_as_never_stopped("r");
  }
  EXPECT_GE(named_.size(), 4u) << testing::PrintToString(named_);
  EXPECT_EQ(ends.count("1"), 1u);
}

TEST_F(DiskTest, ALogThatCannotBeWrittenDoesNotEndARun) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  ASSERT_EQ(kiln("run busy.toml --out r 2> /dev/full > /dev/full").exit_code, 0);
  expect_as_never_stopped("r");
  fs::remove_all(folder_ / "r");
  ASSERT_EQ(kiln("run busy.toml --out r 2>&1 | true").exit_code, 0);
  for (int i = 0; i < 6000 && !fs::exists(folder_ / "r/run.json"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  expect_as_never_stopped("r");
  EXPECT_EQ(kiln("run nothing.toml 2> /dev/full").exit_code, 2);
}

// As cron and daemons do. What is said must not end up in the first files that are opened.
TEST_F(DiskTest, ClosedStandardStreamsDoNotSpoilARun) {
  for (const char* closed : {">&- 2>&-", "<&- >&- 2>&-", "<&- 2>&-", "2>&-"}) {
    fs::remove_all(folder_ / "r");
    ASSERT_EQ(kiln(std::string("run busy.toml --out r ") + closed).exit_code, 0) << closed;
    expect_as_never_stopped("r");
  }
}

}  // namespace
}  // namespace kiln
