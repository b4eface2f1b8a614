// Runs that are stopped and go on, are extended, or branch off another.
#include <set>

#include "output/report/plots.hpp"
#include "output/state/checkpoint.hpp"
#include "survival_fixture.hpp"

namespace kiln {
namespace {

class LongRun : public Survival {};

TEST_F(LongRun, SignalsOfBatchSystemsEndItCleanly) {
  const struct {
    int signal;
    const char* name;
  } signals[] = {{SIGTERM, "SIGTERM"},
                 {SIGHUP, "SIGHUP"},
                 {SIGUSR1, "SIGUSR1"},
                 {SIGUSR2, "SIGUSR2"},
                 {SIGXCPU, "SIGXCPU"}};
  for (const auto& [signal, name] : signals) {
    fs::remove_all(folder_ / "r");
    const pid_t child = spawn({"run", "small.toml", "--out", "r", "--mcs", "400000"});
    ASSERT_TRUE(has_written(child, "r/pictures/view_00000010.png")) << read("log");
    kill(child, signal);
    kill(child, signal);  // as batch systems do
    EXPECT_EQ(exit_code_of(child), 128 + signal) << name;
    EXPECT_EQ(value(read("r/run.json"), "stopped_by"), name);
    EXPECT_NE(read("log").find(std::string("Interrupted by ") + name + "; go on with --resume."),
              std::string::npos)
        << read("log");
    const int64_t mcs = std::stoll(value(read("r/run.json"), "mcs"));
    const std::string length = " --json --mcs " + std::to_string(mcs + 5);
    const Result rest = kiln("run small.toml --out r --resume" + length);
    EXPECT_EQ(value(rest.out, "hash"), value(kiln("run small.toml --out once --force" + length).out, "hash"));
    EXPECT_EQ(value(read("r/run.json"), "stopped_by"), "null");
  }
}

// So short that every call has just time for one MCS.
TEST_F(LongRun, ATimeLimitEndsItWithACheckpointAndCode75) {
  int calls = 0;
  for (int code = 75; code == 75; ++calls) {
    const Result r = kiln("run busy.toml --out r --resume --time-limit 0.001s");
    code = r.exit_code;
    if (code == 0) continue;
    ASSERT_EQ(code, 75) << r.out;
    EXPECT_NE(r.out.find("Interrupted by the time limit; go on with --resume."), std::string::npos) << r.out;
    EXPECT_EQ(value(read("r/run.json"), "stopped_by"), "the time limit");
  }
  EXPECT_EQ(calls, 40);
  expect_as_never_stopped("r");
  EXPECT_EQ(kiln("run busy.toml --out s --time-limit 1h30m").exit_code, 0);
  const Result bad = kiln("run busy.toml --out t --time-limit soon");
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_EQ(
      bad.out,
      "kiln: --time-limit is \"soon\", but must be a duration such as 1h30m, 90min or 5400 (seconds).\n");
  EXPECT_EQ(kiln("run busy.toml --out t --time-limit 0s").out,
            "kiln: --time-limit is \"0s\", but must be longer than 0; leave it out for none.\n");
  EXPECT_EQ(kiln("run busy.toml --out ''").out, "kiln: --out is \"\", but must name a folder.\n");
  EXPECT_FALSE(fs::exists(folder_ / "t"));
  EXPECT_FALSE(fs::exists(folder_ / "runs"));
}

// The clock decides when; what is computed and measured does not notice.
TEST_F(LongRun, CheckpointsByTheClockChangeNothing) {
  const std::string no_rhythm = " --set output.checkpoint_every=0 --json";
  ASSERT_EQ(kiln("run busy.toml --out none --checkpoint-every 0" + no_rhythm).exit_code, 0);
  EXPECT_FALSE(fs::exists(folder_ / "none/checkpoint-before.h5"));
  ASSERT_EQ(kiln("run busy.toml --out r --checkpoint-every 0.000001s" + no_rhythm).exit_code, 0);
  EXPECT_GE(read_checkpoint(folder_ / "r/checkpoint-before.h5").state.mcs, 36);
  expect_as_never_stopped("r");
  // From one of them to the same end.
  fs::remove(folder_ / "r/checkpoint.h5");
  ASSERT_EQ(kiln("run busy.toml --out r --resume" + no_rhythm).exit_code, 0);
  expect_as_never_stopped("r");
}

// MCS 23 has rows of its own at the end of the first part, which a longer run does not have.
TEST_F(LongRun, ExtendedItHasTheTablesOfARunOfThatLength) {
  for (const char* end : {"22", "23", "30"}) {
    fs::remove_all(folder_ / "r");
    ASSERT_EQ(kiln(std::string("run busy.toml --out r --mcs ") + end).exit_code, 0);
    const std::vector<int64_t> times = snapshot_times(folder_ / "r/lattice.h5");
    EXPECT_EQ(times.back(), std::stoi(end));
    ASSERT_EQ(kiln("run busy.toml --out r --resume").exit_code, 0);
    expect_as_never_stopped("r");
  }
  const Result back = kiln("run busy.toml --out r --resume --mcs 30");
  EXPECT_EQ(back.exit_code, 2);
  EXPECT_EQ(back.out, "kiln: r stands at MCS 40, beyond the 30 that this run has; give a larger --mcs.\n");
}

// Cells are born and die on the way: rows of all tables, and what measures remember, grow.
TEST_F(LongRun, OfCellsThatDivideAndDieGoesOnAnywhere) {
  write("living.toml", R"toml(mcs = 90
temperature = 5
[lattice]
size = [48, 48]
[units]
seconds_per_mcs = 60
[types.cell]
volume = { target = 30, lambda = 3 }
growth = { rate = 60, up_to = 80 }
properties = { dye = { start = "uniform(0, 1)", extensive = true }, clock = 0 }
equations = { clock = "1 / h(1) + 0.001 * mean(food)" }
persistence = { lambda = 4, dt = 3 }
takes_up.food = 0.01
secretes.waste = { rate = "dye", per = "cell" }
chemotaxis = { lambda = 30, substance = "food" }
[substances.food]
diffusion = 0.1
start = "1 + 0.01 * x"
coarsen = 2
[substances.waste]
diffusion = 0.02
update_every = 4
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
speed_interval_s = 300
explored = true
halves = "x"
direction_correlation = true
)toml");
  const Result once = kiln("run living.toml --out once --json");
  ASSERT_EQ(once.exit_code, 0) << once.out;
  const std::string hash = value(once.out, "hash");
  EXPECT_GT(read("once/lineage.csv").size(), read("once/lags.csv").size());
  for (const int stop : {1, 33, 64}) {
    fs::remove_all(folder_ / "r");
    EXPECT_EQ(kiln("run living.toml --out r --mcs " + std::to_string(stop)).exit_code, 0);
    EXPECT_EQ(kiln("run living.toml --out r --force --mcs " + std::to_string(stop)).exit_code, 0);
    EXPECT_EQ(value(kiln("run living.toml --out branch --force --json --from r").out, "hash"), hash) << stop;
    EXPECT_EQ(value(kiln("run living.toml --out r --resume --json --threads 1").out, "hash"), hash) << stop;
    for (const char* table : {"measures.csv", "cells.csv", "lineage.csv", "lags.csv", "speeds.csv",
                              "motility.csv", "direction_correlation.csv"})
      EXPECT_EQ(read(std::string("r/") + table), read(std::string("once/") + table)) << table << ' ' << stop;
  }
  // As many leaves as there are cells that did not divide; as many trees as there were seeds.
  ASSERT_EQ(kiln("export once --lineage newick").out, "once/lineage.nwk\n");
  const std::string trees = read("once/lineage.nwk"), lineage = read("once/lineage.csv");
  const auto count = [](const std::string& text, const std::string& what) {
    int64_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(trees, ";\n"), 6);
  EXPECT_EQ(count(trees, ":"), count(lineage, "\n") - 1);
  EXPECT_EQ(count(trees, ","), count(lineage, ",divided,"));
  ASSERT_EQ(kiln("export once --lineage ctc").out, "once/res_track.txt\n");
  EXPECT_EQ(count(read("once/res_track.txt"), " 0 0 "), count(lineage, ",alive,"));  // in the one state saved
  EXPECT_EQ(kiln("run living.toml --out once --force --mcs 1").exit_code, 0);  // these are files of a run

  EXPECT_EQ(value(kiln("run living.toml --out bricks --bricks 1x2 --json").out, "hash"), hash);
  EXPECT_EQ(read("bricks/lineage.csv"), lineage);
}

TEST_F(LongRun, TwoCannotShareAFolder) {
  const pid_t child = spawn({"run", "small.toml", "--out", "r", "--mcs", "400000"});
  ASSERT_TRUE(has_written(child, "r/pictures/view_00000010.png")) << read("log");
  for (const char* how : {"--resume", "--force"}) {
    const Result second = kiln(std::string("run small.toml --out r ") + how);
    EXPECT_EQ(second.exit_code, 2);
    EXPECT_EQ(second.out,
              "kiln: another process is running in r; wait until it ends, or give another --out.\n");
  }
  kill(child, SIGTERM);
  EXPECT_EQ(exit_code_of(child), 128 + SIGTERM);
}

class Branch : public Survival {
 protected:
  void SetUp() override {
    Survival::SetUp();
    if (IsSkipped()) return;
    const Result half = kiln("run busy.toml --out half --mcs 21 --json");
    ASSERT_EQ(half.exit_code, 0) << half.out;
    half_hash_ = value(half.out, "hash");
  }
  std::string half_hash_;
};

TEST_F(Branch, WithNothingChangedItIsTheSameRun) {
  for (const char* from : {"half", "half/checkpoint.h5"}) {
    fs::remove_all(folder_ / "b");
    const Result r = kiln(std::string("run busy.toml --out b --from ") + from);
    ASSERT_EQ(r.exit_code, 0) << r.out;
    EXPECT_NE(r.out.find("goes on at MCS 21, from half/checkpoint.h5"), std::string::npos) << r.out;
    const std::string record = read("b/run.json");
    EXPECT_EQ(value(record, "hash"), hash_);
    EXPECT_NE(record.find("\"from\": {\"file\": \"half/checkpoint.h5\", \"hash\": \"" + half_hash_ +
                          "\", \"mcs\": 21}"),
              std::string::npos)
        << record;
    const std::vector<TableColumn> table = csv_columns(folder_ / "b/measures.csv");
    EXPECT_EQ(table[0].name, "mcs");
    EXPECT_EQ(table[0].values, (std::vector<double>{21, 24, 28, 32, 36, 40}));
    EXPECT_TRUE(fs::exists(folder_ / "b/pictures/view_00000021.png"));
  }
  EXPECT_EQ(value(read("half/run.json"), "hash"), half_hash_);
}

TEST_F(Branch, MayHaveOtherParametersAndAnotherSeed) {
  std::set<std::string> hashes = {hash_};
  for (const std::string changed :
       {"--set temperature=5", "--set types.cell.act.max=3", "--set types.cell.persistence.dt=7",
        "--set types.cell.persistence.lambda=0", "--set types.cell.act.lambda=0 --seed 3",
        "--set neighbourhood.perimeter=1", "--seed 2", "--engine serial"}) {
    const Result r = kiln("run busy.toml --out b --force --json --from half " + changed);
    ASSERT_EQ(r.exit_code, 0) << r.out;
    EXPECT_TRUE(hashes.insert(value(r.out, "hash")).second) << changed;
    EXPECT_EQ(value(r.out, "mcs"), "40");
    fs::remove_all(folder_ / "b");
  }
}

TEST_F(Branch, GoesOnLikeAnyRun) {
  const std::string changed = "run busy.toml --from half --set temperature=5 --resume --json --out ";
  ASSERT_EQ(kiln(changed + "whole-branch").exit_code, 0);
  int calls = 0;
  while (kiln(changed + "b --time-limit 0.001s").exit_code == 75) ++calls;
  EXPECT_EQ(calls, 18);
  for (const char* file : {"cells.csv", "measures.csv", "lags.csv", "pictures/view.png", "lattice.xdmf"})
    EXPECT_TRUE(read(fs::path("b") / file) == read(fs::path("whole-branch") / file)) << file;
  EXPECT_EQ(value(read("b/run.json"), "hash"), value(read("whole-branch/run.json"), "hash"));
  EXPECT_NE(read("b/run.json").find("half/checkpoint.h5"), std::string::npos);
  // Even one that was killed before it had come anywhere.
  fs::remove(folder_ / "b/checkpoint.h5");
  EXPECT_EQ(read_checkpoint(folder_ / "b/checkpoint-before.h5").info.from->mcs, 21);
}

TEST_F(Branch, FromWhatDoesNotFitIsRefused) {
  const std::string text = read("busy.toml");
  const auto with = [&](const std::string& old, const std::string& now) {
    std::string changed = text;
    changed.replace(changed.find(old), old.size(), now);
    return changed;
  };
  write("size.toml", with("[40, 40]", "[40, 48]"));
  write("closed.toml", with("[40, 40]", "[40, 40]\nboundary = [\"periodic\", \"closed\"]"));
  write("more.toml", with("[adhesion]", "[types.other]\nfrozen = true\n[adhesion]"));
  std::string renamed = text;
  for (std::size_t at = 0; (at = renamed.find("cell", at)) != std::string::npos; at += 5)
    if (renamed.compare(at, 5, "cells") != 0) renamed.replace(at, 4, "blob");
  write("renamed.toml", renamed);
  fs::create_directory(folder_ / "empty");
  const struct {
    const char *options, *message;
  } refused[] = {
      {"size.toml --from half",
       "size.toml cannot start from half/checkpoint.h5: its lattice is 40 x 40, the model's 40 x 48."},
      {"closed.toml --from half",
       "closed.toml cannot start from half/checkpoint.h5: its boundaries are periodic, periodic, the model's "
       "periodic, closed."},
      {"more.toml --from half",
       "more.toml cannot start from half/checkpoint.h5: it has no type \"other\", which the model has."},
      {"renamed.toml --from half",
       "renamed.toml cannot start from half/checkpoint.h5: it has no type \"blob\", which the model has."},
      {"busy.toml --from half --mcs 20",
       "half/checkpoint.h5 stands at MCS 21, beyond the 20 that this run has; give a larger --mcs."},
      {"busy.toml --from empty", "empty holds no checkpoint to start from (--from)."},
      {"busy.toml --from nowhere", "cannot read nowhere: No such file or directory."},
      {"busy.toml --from small.toml", "small.toml is not a checkpoint of Kiln."},
      {"busy.toml --from half --out half --force",
       "a run cannot start from half in the same folder; give another --out."},
  };
  for (const auto& [options, message] : refused) {
    const bool has_out = std::string(options).find("--out") != std::string::npos;
    const Result r = kiln(std::string("run ") + options + (has_out ? "" : " --out b"));
    EXPECT_EQ(r.exit_code, 2) << options;
    EXPECT_EQ(r.out, std::string("kiln: ") + message + "\n");
    EXPECT_FALSE(fs::exists(folder_ / "b"));
  }
  EXPECT_EQ(value(read("half/run.json"), "hash"), half_hash_);
}

}  // namespace
}  // namespace kiln
