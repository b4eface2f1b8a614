// Sweeps as a user meets them: tables, what single runs give, kills, failures.
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

}  // namespace
}  // namespace kiln
