// The program as mpirun starts it: the same files as one process writes, whatever happens to its ranks.
#include <random>

#include "cli/survival_fixture.hpp"
#include "support/living_worlds.hpp"

namespace kiln {
namespace {

class Mpirun : public Survival {
 protected:
  static std::vector<std::string> words(int ranks, const std::vector<std::string>& arguments) {
    std::vector<std::string> all = {MPIEXEC, MPIEXEC_NUMPROC, std::to_string(ranks), KILN_BINARY};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
  }
  Result kiln_on(int ranks, const std::vector<std::string>& arguments) const {
    std::string command;
    for (const std::string& word : words(ranks, arguments)) command += "'" + word + "' ";
    return shell(command);
  }
  // Each rank begins with some lines of a shell, in which $rank is its number.
  Result kiln_within(int ranks, const std::string& lines, const std::string& arguments) const {
    std::ofstream(folder_ / "rank.sh") << "rank=$OMPI_COMM_WORLD_RANK\n"
                                       << lines << "\nexec '" << KILN_BINARY << "' " << arguments << '\n';
    return shell(std::string("'") + MPIEXEC + "' " + MPIEXEC_NUMPROC + " " + std::to_string(ranks) +
                 " sh rank.sh");
  }
  // Starts it and does not wait.
  pid_t spawn_on(int ranks, const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = words(ranks, arguments);
    const pid_t child = fork();
    if (child != 0) return child;
    if (chdir(folder_.c_str()) != 0) _exit(9);
    if (std::freopen("log", "w", stdout) == nullptr || dup2(STDOUT_FILENO, STDERR_FILENO) < 0) _exit(9);
    std::vector<char*> pointers;
    for (std::string& word : all) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    execvp(pointers[0], pointers.data());
    _exit(9);
  }
  // Processes that this mpirun has started and that have not ended.
  static std::vector<pid_t> ranks_of(pid_t mpirun) {
    std::vector<pid_t> ranks;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string name = entry.path().filename().string();
      if (name.find_first_not_of("0123456789") != std::string::npos) continue;
      std::ifstream stat(entry.path() / "stat");
      std::string number, program, state, parent;
      stat >> number >> program >> state >> parent;
      if (parent == std::to_string(mpirun) && state != "Z") ranks.push_back(pid_t(std::stol(name)));
    }
    return ranks;
  }
  // The process of a rank; 0 where it is not there, or not yet.
  static pid_t rank_of(pid_t mpirun, int rank) {
    const std::string wanted = "OMPI_COMM_WORLD_RANK=" + std::to_string(rank);
    for (const pid_t process : ranks_of(mpirun)) {
      std::ifstream environment("/proc/" + std::to_string(process) + "/environ");
      for (std::string variable; std::getline(environment, variable, '\0');)
        if (variable == wanted) return process;
    }
    return 0;
  }
  // For mpirun after one of its ranks was killed. Open MPI's (4.1.4) does not end where that rank was just
  // connecting to it ("PMIX ERROR: UNREACHABLE"): once all ranks have been gone for a while, it is killed,
  // too.
  int exit_code_after_kill(pid_t mpirun) const {
    constexpr auto kPause = std::chrono::milliseconds(20);
    constexpr int kPausesAlone = 1000;
    for (int alone = 0; !has_ended(mpirun) && alone < kPausesAlone; std::this_thread::sleep_for(kPause))
      alone = ranks_of(mpirun).empty() ? alone + 1 : 0;
    if (!has_ended(mpirun)) kill(mpirun, SIGKILL);
    return exit_code_of(mpirun);
  }
  bool has_ended(pid_t child) const {
    siginfo_t info{};
    return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child;
  }
};

TEST_F(Mpirun, WritesTheFilesOfOneProcess) {
  for (const int ranks : {2, 3, 4}) {
    const std::string out = "on" + std::to_string(ranks);
    const Result run = kiln_on(ranks, {"run", "busy.toml", "--out", out, "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.out;
    EXPECT_EQ(std::count(run.out.begin(), run.out.end(), '\n'), 1) << run.out;
    EXPECT_EQ(value(run.out, "hash"), hash_);
    expect_as_never_stopped(out);
  }
}

TEST_F(Mpirun, GoesOnWithAnotherNumberOfRanks) {
  const int ranks[] = {3, 1, 2, 4};
  for (int part = 0; part < 4; ++part) {
    const Result run = kiln_on(ranks[part], {"run", "busy.toml", "--out", "r", "--resume", "--mcs",
                                             std::to_string(10 * (part + 1))});
    ASSERT_EQ(run.exit_code, 0) << run.out;
  }
  expect_as_never_stopped("r");
}

// Cells that come and go, substances, and whatever shows them: the same files, on any number of ranks.
TEST_F(Mpirun, PlaysLivingTissue) {
  std::string text = test::tissue("[48, 40]", "[0, 0]", "[5, 9]");
  text.replace(text.find("volume >= 48"), 12, "volume >= 24");
  write("living.toml", text + R"toml(
[[rules]]
types = "other"
rate = "0.02 * age / s(60)"
do = "die"
how = "remove"
[measure]
every = 5
cells_every = 10
[output]
checkpoint_every = 7
lattice_every = 25
[[pictures]]
name = "food"
colour = "food"
every = 40
[[pictures]]
name = "taste"
colour = "taste"
every = 40
)toml");
  const Result alone = kiln("run living.toml --mcs 120 --out alone --json");
  ASSERT_EQ(alone.exit_code, 0) << alone.out;
  const auto expect_the_same = [&](const fs::path& run) {
    EXPECT_EQ(value(read(run / "run.json"), "hash"), value(alone.out, "hash")) << run;
    for (const char* file : {"cells.csv", "measures.csv", "lags.csv", "lineage.csv", "lattice.xdmf",
                             "pictures/food_00000120.png", "pictures/taste_00000080.png"})
      EXPECT_TRUE(read(run / file) == read(fs::path("alone") / file)) << run / file;
    for (const int64_t mcs : {25, 100, 120}) {
      const State found = read_snapshot(folder_ / run / "lattice.h5", mcs, {"taste"}),
                  expected = read_snapshot(folder_ / "alone/lattice.h5", mcs, {"taste"});
      EXPECT_TRUE(found.ids == expected.ids) << run << " " << mcs;
      EXPECT_EQ(found.cells.property, expected.cells.property) << run << " " << mcs;
      ASSERT_EQ(found.substances.size(), 2u);
      for (int s : {0, 1}) EXPECT_EQ(found.substances[s].values, expected.substances[s].values) << mcs;
    }
  };
  const Result three = kiln_on(3, {"run", "living.toml", "--mcs", "120", "--out", "on3", "--json"});
  ASSERT_EQ(three.exit_code, 0) << three.out;
  expect_the_same("on3");
  const int ranks[] = {2, 1, 4};
  for (int part = 0; part < 3; ++part) {
    const Result run = kiln_on(ranks[part], {"run", "living.toml", "--out", "r", "--resume", "--mcs",
                                             std::to_string(40 * (part + 1))});
    ASSERT_EQ(run.exit_code, 0) << run.out;
  }
  expect_the_same("r");
  EXPECT_NE(read("alone/lineage.csv").find("divided"), std::string::npos);
  EXPECT_NE(read("alone/lineage.csv").find("died"), std::string::npos);
}

// A formula without a number, on one of the ranks: a sentence says where, once.
TEST_F(Mpirun, TellsWhichCellHasNoNumber) {
  std::string text = test::tissue("[48, 40]", "[0, 0]", "[5, 9]");
  const std::string fine = "200 * hill(mean(food), 0.3, 2)";
  text.replace(text.find(fine), fine.size(), "10 / (age - 30)");
  write("poor.toml", text);
  const Result alone = kiln("run poor.toml --mcs 20 --out alone"),
               three = kiln_on(3, {"run", "poor.toml", "--mcs", "20", "--out", "on3"});
  EXPECT_EQ(alone.exit_code, 2) << alone.out;
  EXPECT_EQ(three.exit_code, 2) << three.out;
  const std::string wrong = "its growth is inf sites/s, where age 30.";
  EXPECT_NE(alone.out.find(wrong), std::string::npos) << alone.out;
  EXPECT_NE(three.out.find(wrong), std::string::npos) << three.out;
  EXPECT_EQ(three.out.find("kiln: "), three.out.rfind("kiln: ")) << three.out;
}

TEST_F(Mpirun, TellsOnceWhatIsWrong) {
  const Result missing = kiln_on(2, {"run", "none.toml"});
  EXPECT_EQ(missing.exit_code, 2) << missing.out;
  EXPECT_EQ(missing.out.find("kiln: "), missing.out.rfind("kiln: ")) << missing.out;
  EXPECT_NE(missing.out.find("none.toml"), std::string::npos) << missing.out;
  const Result thin = kiln_on(2, {"run", "busy.toml", "--out", "x", "--bricks", "3x1"});
  EXPECT_NE(thin.out.find("kiln: --bricks is \"3x1\", but there are 2 ranks."), std::string::npos)
      << thin.out;
  EXPECT_FALSE(fs::exists(folder_ / "x"));
  const Result serial = kiln_on(2, {"run", "busy.toml", "--out", "x", "--engine", "serial"});
  EXPECT_EQ(serial.out.find("kiln: "), serial.out.rfind("kiln: ")) << serial.out;
  const Result sweep = kiln_on(2, {"sweep", "busy.toml", "--vary", "temperature=1,2"});
  EXPECT_NE(sweep.out.find("kiln sweep is not played by several processes"), std::string::npos) << sweep.out;
  const Result version = kiln_on(3, {"--version"});
  EXPECT_EQ(version.out, std::string(KILN_VERSION) + "\n");
}

TEST_F(Mpirun, RefusesRanksWithOtherModels) {
  const Result run = shell(std::string("'") + MPIEXEC + "' " + MPIEXEC_NUMPROC + " 1 '" + KILN_BINARY +
                           "' run busy.toml --out x --seed 3 : " + MPIEXEC_NUMPROC + " 1 '" + KILN_BINARY +
                           "' run busy.toml --out x --seed 4");
  EXPECT_EQ(run.exit_code, 2) << run.out;
  EXPECT_NE(run.out.find("has another model or other options than rank 0"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("\"seed = 4\""), std::string::npos) << run.out;
  EXPECT_FALSE(fs::exists(folder_ / "x"));
}

// The first rank writes and talks; the others do not.
TEST_F(Mpirun, EndsCleanlyWhereASignalComesToAnyRank) {
  for (const int rank : {0, 1, 2}) {
    SCOPED_TRACE(rank);
    const fs::path out = "r" + std::to_string(rank);
    const pid_t mpirun =
        spawn_on(3, {"run", "busy.toml", "--out", out.string(), "--resume", "--mcs", "1000000"});
    while (!fs::exists(folder_ / out / "checkpoint.h5") && !has_ended(mpirun)) {
    }
    ASSERT_NE(rank_of(mpirun, rank), 0) << read("log");
    kill(rank_of(mpirun, rank), SIGTERM);
    EXPECT_EQ(exit_code_of(mpirun), 128 + SIGTERM) << read("log");
    EXPECT_EQ(value(read(out / "run.json"), "stopped_by"), "SIGTERM");
    const std::string mcs = value(read(out / "run.json"), "mcs");
    const Result alone = kiln("run busy.toml --force --out alone --json --mcs " + mcs);
    EXPECT_EQ(value(alone.out, "hash"), value(read(out / "run.json"), "hash"));
  }
}

#ifndef __SANITIZE_ADDRESS__
// Of one rank, when they have met: all end, and a sentence says who and why. (With still less, Open MPI
// itself cannot begin.)
TEST_F(Mpirun, EndsWhereARankHasTooLittleMemory) {
  const Result run = kiln_within(3, "if [ $rank = 2 ]; then ulimit -v 420000; fi",
                                 "bench sorting2d --size 8000 --mcs 1 --engine threads --threads 1");
  EXPECT_NE(run.exit_code, 0) << run.out;
  EXPECT_NE(run.out.find("kiln: rank 2 on "), std::string::npos) << run.out;
  EXPECT_NE(run.out.find(": not enough memory."), std::string::npos) << run.out;
}
#endif

// Where parts go, one rank has a disk of its own that is full: the last checkpoint stays good.
TEST_F(Mpirun, NamesTheRankWhoseDiskIsFull) {
  const std::string apart = std::string("unshare ") + (geteuid() == 0 ? "-m" : "-rm") + " sh -c ";
  if (shell(apart + "'mkdir -p d && mount -t tmpfs -o size=1m tmpfs d'").exit_code != 0)
    GTEST_SKIP() << "no disk can be mounted here";
  ASSERT_EQ(kiln_on(3, {"run", "busy.toml", "--out", "r", "--mcs", "4"}).exit_code, 0);
  const std::string arguments = "run busy.toml --out r --resume --json", parts = "r/checkpoint-parts";
  const Result full =
      kiln_within(3,
                  "if [ $rank = 1 ]; then exec " + apart + "'cp -r " + parts +
                      " kept && mount -t tmpfs -o size=2m tmpfs " + parts + " && cp -r kept/. " + parts +
                      " && rm -r kept; head -c 4m /dev/zero > " + parts + "/filler 2>/dev/null; exec '" +
                      KILN_BINARY + "' " + arguments + "'; fi",
                  arguments);
  EXPECT_EQ(full.exit_code, 1) << full.out;
  EXPECT_NE(full.out.find("kiln: rank 1 on "), std::string::npos) << full.out;
  EXPECT_NE(full.out.find("part_00001.h5"), std::string::npos) << full.out;
  EXPECT_EQ(full.out.find("kiln: "), full.out.rfind("kiln: ")) << full.out;
  const Result after = kiln_on(2, {"run", "busy.toml", "--out", "r", "--resume", "--json"});
  EXPECT_EQ(after.exit_code, 0) << after.out;
  expect_as_never_stopped("r");
}

// A disk of its own for the results of all ranks, as large as these, with less and less room on it.
TEST_F(Mpirun, EndsWhereTheDiskIsFullAndGoesOn) {
  const std::string disk = "mkdir -p disk && mount -t tmpfs -o size=2m tmpfs disk";
  const std::string apart = std::string("unshare ") + (geteuid() == 0 ? "-m" : "-rm") + " sh -c '";
  if (shell(apart + disk + "'").exit_code != 0) GTEST_SKIP() << "no disk can be mounted here";
  const std::string run =
      std::string(MPIEXEC) + " " + MPIEXEC_NUMPROC + " 3 " + KILN_BINARY + " run ../busy.toml --out r --json";
  int failures = 0;
  for (const int room : {0, 64, 192, 320, 448}) {
    fs::remove_all(folder_ / "r");
    const std::string fill = "head -c " + std::to_string((2048 - room) * 1024) + " /dev/zero > filler";
    const Result both = shell(apart + disk + " && cd disk && " + fill + "; " + run +
                              "; echo \"ended with $?\"; rm filler; " + run + " --resume; cp -r r ..'");
    const std::size_t end = both.out.find("ended with ");
    ASSERT_NE(end, std::string::npos) << both.out;
    const int code = std::stoi(both.out.substr(end + 11));
    const std::string told = both.out.substr(0, end);
    if (code != 0) {
      EXPECT_EQ(code, 1) << told;
      EXPECT_NE(told.find("kiln: "), std::string::npos) << told;
      EXPECT_EQ(told.find("kiln: "), told.rfind("kiln: ")) << told;
      ++failures;
    }
    expect_as_never_stopped("r");
  }
  EXPECT_GE(failures, 3);
}

TEST_F(Mpirun, TwentyKillsOfARankResumeToTheSameFiles) {
  std::mt19937 random(7);
  int kills = 0, finished = 0;
  for (int lives = 0; kills < 20; ++lives) {
    const int ranks = 2 + lives % 3;
    const pid_t mpirun = spawn_on(ranks, {"run", "busy.toml", "--out", "r", "--resume", "--json"});
    const int rank = int(random() % unsigned(ranks));
    pid_t victim = 0;
    while (victim == 0 && !has_ended(mpirun)) victim = rank_of(mpirun, rank);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 300'000));
    const bool is_killed = victim != 0 && !has_ended(mpirun) && kill(victim, SIGKILL) == 0;
    const int code = is_killed ? exit_code_after_kill(mpirun) : exit_code_of(mpirun);  // all have ended then
    if (code != 0) {
      EXPECT_TRUE(is_killed) << read("log");
      ++kills;
      continue;
    }
    expect_as_never_stopped("r");
    fs::remove_all(folder_ / "r");
    ++finished;
    ASSERT_LT(finished, 200);
  }
  const Result last = kiln("run busy.toml --out r --resume --json");
  ASSERT_EQ(last.exit_code, 0) << last.out;
  expect_as_never_stopped("r");
  RecordProperty("runs_finished", finished + 1);
}

}  // namespace
}  // namespace kiln
