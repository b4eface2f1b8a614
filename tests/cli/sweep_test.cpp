// Sweeps as a user meets them: tables, what single runs give, kills, failures.
#include <algorithm>

#include "cli_fixture.hpp"

namespace kiln {
namespace {

class SweepCli : public Cli {
 protected:
  static std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) result.push_back(line);
    return result;
  }
  static std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> result;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) result.push_back(field);
    return result;
  }
  void expect_same_tables(const std::string& a, const std::string& b) const {
    for (const char* table : {"sweep.csv", "measures.csv"})
      EXPECT_EQ(read(fs::path(a) / table), read(fs::path(b) / table)) << table << " of " << b;
  }
  std::size_t finished_in(const std::string& out) const {
    std::size_t count = 0;
    for (const std::string& line : lines(read(fs::path(out) / ".sweep.journal"))) count += line == "end";
    return count;
  }
};

TEST_F(SweepCli, RowsAreThoseOfSingleRuns) {
  const Result r = kiln(
      "sweep small.toml --vary temperature=5:15:10 --vary types.cell.act.lambda=0,20 --replicas 2 --set "
      "types.cell.volume.lambda=3 --out s");
  ASSERT_EQ(r.exit_code, 0) << r.out;
  EXPECT_NE(r.out.find("4 combinations, 2 replicas of each, 8 runs"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("8 of 8 runs finished"), std::string::npos) << r.out;
  const std::vector<std::string> rows = lines(read("s/sweep.csv"));
  ASSERT_EQ(rows.size(), 9u);
  EXPECT_EQ(rows[0].rfind("temperature,types.cell.act.lambda,replica,seed,hash,mcs,t_min,phase,cells,", 0),
            0u);
  EXPECT_EQ(rows[1].rfind("5,0,1,", 0), 0u);
  EXPECT_EQ(rows[8].rfind("15,20,2,", 0), 0u);
  const std::vector<std::string> measures = lines(read("s/measures.csv"));
  ASSERT_EQ(measures.size(), 1 + 8 * 11u);
  for (const std::size_t i : {2u, 7u}) {
    const std::vector<std::string> f = fields(rows[i]);
    const Result alone =
        kiln("run small.toml --seed " + f[3] + " --set types.cell.volume.lambda=3 --set temperature=" + f[0] +
             " --set types.cell.act.lambda=" + f[1] + " --json --out r" + f[3]);
    EXPECT_EQ(value(alone.out, "hash"), f[4]);
    const std::vector<std::string> expected = lines(read("r" + f[3] + "/measures.csv"));
    ASSERT_EQ(expected.size(), 12u);
    const std::string start = f[0] + "," + f[1] + "," + f[2] + "," + f[3] + ",";
    for (std::size_t k = 1; k < expected.size(); ++k)
      EXPECT_EQ(measures[(i - 1) * 11 + k], start + expected[k]);
    const std::string motility = lines(read("r" + f[3] + "/motility.csv")).back();
    EXPECT_EQ(rows[i], start + f[4] + "," + expected.back() + motility.substr(motility.find(',')));
  }
}

TEST_F(SweepCli, ThreadsAndResumingLeaveTheSameTables) {
  const std::string sweep = "sweep small.toml --vary temperature=5,10,15 --replicas 4 --engine threads ";
  ASSERT_EQ(kiln(sweep + "--threads 1 --out one").exit_code, 0);
  ASSERT_EQ(kiln(sweep + "--threads 3 --out three").exit_code, 0);
  expect_same_tables("one", "three");
  // A grid that grows keeps what it has.
  ASSERT_EQ(kiln("sweep small.toml --vary temperature=10,15 --replicas 2 --out grown").exit_code, 0);
  const Result rest = kiln(sweep + "--out grown --resume");
  ASSERT_EQ(rest.exit_code, 0) << rest.out;
  EXPECT_NE(rest.out.find("4 of these runs are finished already"), std::string::npos) << rest.out;
  expect_same_tables("one", "grown");
}

TEST_F(SweepCli, AKilledSweepGoesOn) {
  const std::string sweep = "sweep small.toml --vary temperature=5:14:1 --replicas 8 --mcs 200";
  ASSERT_EQ(kiln(sweep + " --out whole").exit_code, 0);
  for (const int signal : {SIGKILL, SIGTERM}) {
    const std::string out = signal == SIGKILL ? "killed" : "ended";
    const pid_t child = spawn({"sweep", "small.toml", "--vary", "temperature=5:14:1", "--replicas", "8",
                               "--mcs", "200", "--out", out});
    while (finished_in(out) < 4) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ::kill(child, signal);
    EXPECT_EQ(exit_code_of(child), signal == SIGKILL ? -1 : 128 + SIGTERM);
    const std::size_t finished = finished_in(out);
    EXPECT_GE(finished, 4u);
    EXPECT_EQ(fs::exists(folder_ / out / "sweep.csv"), signal == SIGTERM);
    if (signal == SIGTERM) {
      EXPECT_EQ(lines(read(fs::path(out) / "sweep.csv")).size(), 1 + finished);
    }
    const Result rest = kiln(sweep + " --resume --out " + out);
    ASSERT_EQ(rest.exit_code, 0) << rest.out;
    EXPECT_NE(rest.out.find(std::to_string(finished) + " of these runs are finished already"),
              std::string::npos)
        << rest.out;
    expect_same_tables("whole", out);
  }
}

TEST_F(SweepCli, FailuresAreListedAndNotFatal) {
  write("seeds.toml",
        "mcs = 4\n[lattice]\nsize = [30, 30]\n[types.cell]\nvolume = {target = 20, lambda = 5}\n"
        "[[initial]]\nkind = \"seeds\"\ntype = \"cell\"\nradius = 2\ncount = 5\n");
  const Result r = kiln("sweep seeds.toml --vary initial.0.count=5,500,7 --out s");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_NE(r.out.find("2 of 3 runs finished, 1 failed"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("failed: initial.0.count=500, replica 1 (seed "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("was to place 500 cells"), std::string::npos) << r.out;
  EXPECT_EQ(lines(read("s/sweep.csv")).size(), 3u);
  EXPECT_NE(read("s/sweep.json").find("\"run\": \"initial.0.count=500, replica 1\""), std::string::npos);
  // It is tried again, the others are not.
  const Result again = kiln("sweep seeds.toml --vary initial.0.count=5,500,7 --out s --resume --json");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_EQ(value(again.out, "finished"), "2") << again.out;
  EXPECT_EQ(value(again.out, "failed"), "1");
}

TEST_F(SweepCli, BadCallsLoseNothing) {
  ASSERT_EQ(kiln("sweep small.toml --vary temperature=5,10 --mcs 4 --out s").exit_code, 0);
  const std::string before = read("s/sweep.csv");
  const Result again = kiln("sweep small.toml --vary temperature=5 --mcs 4 --out s");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(
      again.out.find("s exists and is not empty; give another --out, --force to replace the sweep in it, "
                     "or --resume to go on with it."),
      std::string::npos)
      << again.out;
  const Result other = kiln("sweep small.toml --vary temperature=5 --mcs 8 --out s --resume");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_NE(other.out.find("s holds a sweep of another model, or with another schedule"), std::string::npos)
      << other.out;
  EXPECT_EQ(kiln("sweep small.toml --mcs 4 --out s --resume --engine serial").exit_code, 2);
  EXPECT_EQ(read("s/sweep.csv"), before);
  ASSERT_EQ(kiln("run small.toml --mcs 4 --out r").exit_code, 0);
  EXPECT_EQ(kiln("sweep small.toml --out r --force").exit_code, 2);
  EXPECT_TRUE(fs::exists(folder_ / "r/run.json"));
  EXPECT_EQ(kiln("sweep small.toml --vary temperature=5 --mcs 4 --out s --force").exit_code, 0);
  EXPECT_EQ(lines(read("s/sweep.csv")).size(), 2u);
  for (const char* bad : {"--vary temperature", "--vary temperature=1:5", "--vary temperature=-1",
                          "--vary seed=1,2", "--replicas 0"}) {
    EXPECT_EQ(kiln(std::string("sweep small.toml --out bad ") + bad).exit_code, 2) << bad;
    EXPECT_FALSE(fs::exists(folder_ / "bad")) << bad;
  }
}

class SweepCliShards : public SweepCli {
 protected:
  using Words = std::vector<std::string>;
  // 15 runs, of which four shards have unlike numbers; and runs enough to be stopped on the way.
  const Words few_ = {"sweep", "small.toml", "--vary", "temperature=5,10,15", "--replicas", "5"};
  const Words many_ = {"sweep",      "small.toml", "--vary", "temperature=5,10,15",
                       "--replicas", "40",         "--mcs",  "200"};

  static std::string line_of(const Words& words) {
    std::string line;
    for (const std::string& word : words) line += word + " ";
    return line;
  }
  pid_t spawn_shard(Words words, const std::string& shard, const std::string& out) const {
    for (const std::string& word : Words{"--shard", shard, "--out", out}) words.push_back(word);
    return spawn(words);
  }
  std::vector<std::string> names_in(const std::string& out) const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / out)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }
  std::size_t rows_in(const std::string& out) const { return lines(read(out + "/sweep.csv")).size() - 1; }
};

TEST_F(SweepCliShards, PlayedAtOnceTheyAreOneSweep) {
  const std::string sweep = line_of(few_);
  ASSERT_EQ(kiln(sweep + "--out whole").exit_code, 0);
  std::vector<pid_t> shards;
  for (const char* shard : {"1/4", "2/4", "3/4", "4/4"})
    shards.push_back(spawn_shard(few_, shard, "deep/parts"));
  for (const pid_t shard : shards) EXPECT_EQ(exit_code_of(shard), 0);
  const std::vector<std::string> folders = {"shard-1-of-4", "shard-2-of-4", "shard-3-of-4", "shard-4-of-4"};
  EXPECT_EQ(names_in("deep/parts"), folders);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    EXPECT_EQ(rows_in("deep/parts/" + folders[i]), i < 3 ? 4u : 3u);
    EXPECT_EQ(lines(read("deep/parts/" + folders[i] + "/sweep.csv"))[1],
              lines(read("whole/sweep.csv"))[i + 1]);
  }
  const Result refused = kiln(sweep + "--out deep/parts");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.out.find("deep/parts exists and is not empty; give another --out, --force to replace the "
                             "sweep in it, or --resume to go on with it."),
            std::string::npos)
      << refused.out;
  EXPECT_EQ(names_in("deep/parts"), folders);
  const Result together = kiln(sweep + "--out deep/parts --resume");
  EXPECT_EQ(together.exit_code, 0);
  EXPECT_NE(together.out.find("15 of these runs are finished already"), std::string::npos) << together.out;
  expect_same_tables("whole", "deep/parts");
  // It has them for itself now.
  for (const std::string& folder : folders) fs::remove_all(folder_ / "deep/parts" / folder);
  const Result alone = kiln(sweep + "--out deep/parts --resume");
  EXPECT_NE(alone.out.find("15 of these runs are finished already"), std::string::npos) << alone.out;
  expect_same_tables("whole", "deep/parts");
}

TEST_F(SweepCliShards, AKilledOneGoesOnAndAMissingOneIsFilledIn) {
  const std::string longer = line_of(many_);
  ASSERT_EQ(kiln(longer + "--out whole").exit_code, 0);
  const std::string folder = "parts/shard-2-of-3";
  const pid_t shard = spawn_shard(many_, "2/3", "parts");
  while (finished_in(folder) < 4) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  ::kill(shard, SIGSTOP);  // so that it has not ended
  for (const char* how : {"--resume", "--force"}) {
    const Result early = kiln(longer + "--out parts " + how);
    EXPECT_EQ(early.exit_code, 2);
    EXPECT_NE(early.out.find("the shard in parts/shard-2-of-3 is still being played; wait until it ends."),
              std::string::npos)
        << early.out;
    EXPECT_EQ(names_in("parts"), std::vector<std::string>{"shard-2-of-3"});
  }
  const Result twice = kiln(longer + "--shard 2/3 --out parts --resume");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.out.find("another process is running in parts/shard-2-of-3"), std::string::npos)
      << twice.out;
  ::kill(shard, SIGKILL);
  EXPECT_EQ(exit_code_of(shard), -1);
  const std::size_t finished = finished_in(folder);
  ASSERT_LT(finished, 40u);
  // What is half-written, as a kill leaves it.
  std::ofstream(folder_ / folder / ".sweep.journal", std::ios::app) << "run 3 temperature=5, repl";
  fs::copy(folder_ / "parts", folder_ / "killed", fs::copy_options::recursive);

  const Result rest = kiln(longer + "--shard 2/3 --out parts --resume");
  ASSERT_EQ(rest.exit_code, 0) << rest.out;
  EXPECT_NE(rest.out.find("120 runs; shard 2/3 has 40 of them"), std::string::npos) << rest.out;
  EXPECT_NE(rest.out.find(std::to_string(finished) + " of these runs are finished already"),
            std::string::npos)
      << rest.out;
  ASSERT_EQ(kiln(longer + "--shard 3/3 --out elsewhere").exit_code, 0);
  fs::rename(folder_ / "elsewhere/shard-3-of-3", folder_ / "parts/shard-3-of-3");
  const Result together = kiln(longer + "--out parts --resume");
  EXPECT_NE(together.out.find("80 of these runs are finished already"), std::string::npos) << together.out;
  expect_same_tables("whole", "parts");

  const Result killed = kiln(longer + "--out killed --resume");
  EXPECT_NE(killed.out.find(std::to_string(finished) + " of these runs are finished already"),
            std::string::npos)
      << killed.out;
  expect_same_tables("whole", "killed");
}

TEST_F(SweepCliShards, MayBeMoreThanThereAreRuns) {
  const std::string two = "sweep small.toml --replicas 2 ";
  ASSERT_EQ(kiln(two + "--out whole").exit_code, 0);
  for (const char* shard : {"1/12", "2/12", "3/12", "12/12"}) {
    const Result r = kiln(two + "--shard " + shard + " --out parts");
    EXPECT_EQ(r.exit_code, 0) << r.out;
  }
  EXPECT_EQ(rows_in("parts/shard-01-of-12"), 1u);
  EXPECT_EQ(rows_in("parts/shard-02-of-12"), 1u);
  EXPECT_EQ(rows_in("parts/shard-03-of-12"), 0u);
  EXPECT_EQ(rows_in("parts/shard-12-of-12"), 0u);
  ASSERT_EQ(kiln(two + "--resume --out parts").exit_code, 0);
  expect_same_tables("whole", "parts");
  // One is a shard like any other, in the folder that all have without --out.
  ASSERT_EQ(kiln(two + "--shard 1/1").exit_code, 0);
  EXPECT_EQ(names_in("runs/small-sweep"), std::vector<std::string>{"shard-1-of-1"});
  const Result twice = kiln(two + "--shard 1/1");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_NE(twice.out.find("runs/small-sweep/shard-1-of-1 exists and is not empty"), std::string::npos)
      << twice.out;
  ASSERT_EQ(kiln(two + "--resume").exit_code, 0);
  expect_same_tables("whole", "runs/small-sweep");
}

TEST_F(SweepCliShards, OfAnotherModelAreRefused) {
  const std::string two = "sweep small.toml --replicas 2 ", other = two + "--set temperature=3 ";
  const std::string about =
      " holds a sweep of another model, or with another schedule, and cannot go on with "
      "this one; give another --out.";
  ASSERT_EQ(kiln(two + "--out whole").exit_code, 0);
  ASSERT_EQ(kiln(two + "--shard 1/2 --out parts").exit_code, 0);
  const std::string journal = read("parts/shard-1-of-2/.sweep.journal");
  for (const std::string& call :
       {other + "--out parts --resume", other + "--shard 1/2 --out parts --resume"}) {
    const Result r = kiln(call);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_NE(r.out.find("parts/shard-1-of-2" + about), std::string::npos) << r.out;
  }
  EXPECT_EQ(names_in("parts"), std::vector<std::string>{"shard-1-of-2"});
  EXPECT_EQ(read("parts/shard-1-of-2/.sweep.journal"), journal);
  ASSERT_EQ(kiln(two + "--out parts --resume").exit_code, 0);
  expect_same_tables("whole", "parts");
  // Nor does a shard begin where another model's sweep is, or replace a whole one.
  const Result late = kiln(other + "--shard 2/2 --out parts --resume");
  EXPECT_EQ(late.exit_code, 2);
  EXPECT_NE(late.out.find("parts" + about), std::string::npos) << late.out;
  for (const char* how : {"", "--force"}) {
    const Result r = kiln(two + "--shard 2/2 --out parts " + how);
    EXPECT_EQ(r.exit_code, 2);
    EXPECT_NE(r.out.find("parts holds a whole sweep, which a shard does not replace; give another --out, or "
                         "--resume to go on with it."),
              std::string::npos)
        << r.out;
  }
  expect_same_tables("whole", "parts");
}

TEST_F(SweepCliShards, ForceReplacesOneOrAll) {
  const std::string two = "sweep small.toml --replicas 2 --mcs 4 ", other = two + "--set temperature=3 ";
  for (const char* shard : {"1/2", "2/2"})
    ASSERT_EQ(kiln(two + "--shard " + shard + " --out parts").exit_code, 0);
  const std::string second = read("parts/shard-2-of-2/sweep.csv");
  ASSERT_EQ(kiln(other + "--shard 1/2 --force --out parts").exit_code, 0);
  EXPECT_EQ(read("parts/shard-2-of-2/sweep.csv"), second);
  EXPECT_EQ(kiln(other + "--resume --out parts").exit_code, 2);
  std::ofstream(folder_ / "parts/shard-2-of-2/notes.txt") << "mine";
  ASSERT_EQ(kiln(other + "--out whole").exit_code, 0);
  ASSERT_EQ(kiln(other + "--force --out parts").exit_code, 0);
  expect_same_tables("whole", "parts");
  EXPECT_FALSE(fs::exists(folder_ / "parts/shard-1-of-2"));
  EXPECT_EQ(names_in("parts/shard-2-of-2"), std::vector<std::string>{"notes.txt"});
  // A process that died before it had written anything is not in the way.
  fs::create_directories(folder_ / "died/shard-1-of-2");
  std::ofstream(folder_ / "died/shard-1-of-2/.sweep.journal.17.part") << "kiln-sw";
  EXPECT_EQ(kiln(two + "--shard 1/2 --resume --out died").exit_code, 0);
  EXPECT_EQ(rows_in("died/shard-1-of-2"), 1u);
}

TEST_F(SweepCliShards, BadSharesAreRefused) {
  ASSERT_EQ(kiln("run small.toml --mcs 4 --out run").exit_code, 0);
  const std::pair<std::string, std::string> refused[] = {
      {"--shard x", "--shard is \"x\", but must be the number of a shard and how many there are, as 3/16."},
      {"--shard 3", "--shard is \"3\", but must be the number of a shard and how many there are, as 3/16."},
      {"--shard 0/4", "--shard is \"0/4\", but the shards are numbered from 1 to 4."},
      {"--shard 5/4", "--shard is \"5/4\", but the shards are numbered from 1 to 4."},
      {"--shard 1/0", "--shard is \"1/0\", but a sweep has 1 to 1000000 shards."},
      {"--shard 1/2 --out small.toml", "small.toml is a file; a sweep needs a folder of its own (--out)."},
      {"--shard 1/2 --out run", "run holds files but no sweep; give another --out."},
      {"--devices some",
       "--devices is \"some\", but must be all, or numbers of GPUs with commas between, as 0,1,3."},
      {"--devices all,0", "--devices is \"all,0\", but must be all, or numbers of GPUs"},
      {"--devices 0 --engine threads",
       "--devices is \"0\", but the threads engine plays on no GPU; leave one of --devices and --engine "
       "out."},
  };
  for (const auto& [call, sentence] : refused) {
    const std::string out = call.find("--out") == call.npos ? " --out bad" : "";
    const Result r = kiln("sweep small.toml " + call + out);
    EXPECT_EQ(r.exit_code, 2) << call;
    EXPECT_NE(r.out.find("kiln: " + sentence), std::string::npos) << call << ": " << r.out;
    EXPECT_FALSE(fs::exists(folder_ / "bad")) << call;
  }
  // There is no GPU that can be used, or none of this number.
  const Result none = kiln("sweep small.toml --devices 99999 --out bad");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.out.find("no GPU"), std::string::npos) << none.out;
  EXPECT_FALSE(fs::exists(folder_ / "bad"));
}

}  // namespace
}  // namespace kiln
