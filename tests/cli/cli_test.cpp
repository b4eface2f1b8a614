// The program as a user meets it: exit codes, messages, folders, JSON, interruption and resuming.
#include "cli_fixture.hpp"

namespace kiln {
namespace {

TEST_F(Cli, ARunLeavesACompleteFolder) {
  const Result r = kiln("run small.toml --out r");
  ASSERT_EQ(r.exit_code, 0) << r.out;
  for (const char* file : {"model.toml", "source.toml", "run.json", "cells.csv", "measures.csv", "lags.csv",
                           "report.html", "lattice.h5", "lattice.xdmf", "checkpoint.h5",
                           "pictures/view_00000000.png", "pictures/view_00000040.png", "pictures/view.png"})
    EXPECT_TRUE(fs::exists(folder_ / "r" / file)) << file;
  for (const auto& entry : fs::recursive_directory_iterator(folder_ / "r"))
    EXPECT_EQ(entry.path().filename().string().find("part"), std::string::npos) << entry.path();
  EXPECT_NE(r.out.find("r/report.html"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("r/cells.csv"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("r/pictures/view_00000040.png"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find(value(read("r/run.json"), "hash")), std::string::npos) << r.out;
  EXPECT_EQ(read("r/cells.csv").rfind("id,t,x,y,z,mcs,type,volume,perimeter,neighbours\n", 0), 0u);
}

TEST_F(Cli, JsonIsOneObjectOnTheLastLine) {
  const Result r = kiln("run small.toml --out r --json");
  ASSERT_EQ(r.exit_code, 0);
  EXPECT_EQ(r.out.front(), '{');
  EXPECT_EQ(r.out.find('\n'), r.out.size() - 1);
  for (const char* key :
       {"hash", "mcs", "cells", "engine", "schedule", "seconds", "site_updates_per_second", "out"})
    EXPECT_NE(value(r.out, key), "") << key;
  EXPECT_EQ(value(r.out, "mcs"), "40");
  EXPECT_EQ(value(r.out, "cells"), "25");
}

TEST_F(Cli, TheSameSeedGivesTheSameHashAndAnotherSeedAnother) {
  const std::string a = value(kiln("run small.toml --out a --json").out, "hash");
  const std::string b = value(kiln("run small.toml --out b --json").out, "hash");
  const std::string c = value(kiln("run small.toml --out c --json --seed 2").out, "hash");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(
      value(kiln("run --set temperature=5 --set types.cell.volume.lambda=3 small.toml --out e --json").out,
            "hash"),
      a);
  // The resolved model is the whole model.
  EXPECT_EQ(value(kiln("run a/model.toml --out d --json").out, "hash"), a);
}

TEST_F(Cli, AnExistingFolderIsNotOverwritten) {
  ASSERT_EQ(kiln("run small.toml --out r --mcs 4").exit_code, 0);
  const std::string before = read("r/run.json");
  const Result again = kiln("run small.toml --out r --mcs 8");
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_NE(again.out.find(
                "kiln: r exists and is not empty; give another --out, --force to replace the run in it, or "
                "--resume to go on with it."),
            std::string::npos)
      << again.out;
  EXPECT_EQ(read("r/run.json"), before);
  EXPECT_EQ(kiln("run small.toml --out r --mcs 8 --force").exit_code, 0);
  EXPECT_EQ(value(read("r/run.json"), "mcs"), "8");
  write("precious.txt", "mine");
  fs::create_directory(folder_ / "other");
  fs::rename(folder_ / "precious.txt", folder_ / "other" / "precious.txt");
  EXPECT_EQ(kiln("run small.toml --out other --force").exit_code, 2);
  EXPECT_EQ(read("other/precious.txt"), "mine");
}

// A job folder with the model in it, and nothing of a run.
TEST_F(Cli, WhatIsNotOfARunIsLeftAlone) {
  fs::create_directory(folder_ / "job");
  const std::string model = "# my notes\n" + read("small.toml");
  write("job/model.toml", model);
  for (const std::string how : {"--resume", "--force"}) {
    const Result own = shell("cd job && " + std::string(KILN_BINARY) + " run model.toml --out . " + how);
    EXPECT_EQ(own.exit_code, 2) << own.out;
    EXPECT_EQ(
        own.out,
        "kiln: model.toml is in the folder of the run, which writes a model.toml of its own; give another "
        "--out, or move the model.\n");
    EXPECT_EQ(kiln("run small.toml --out job " + how).out,
              "kiln: job holds files but no run, so " + how + " leaves it alone; give another --out.\n");
  }
  EXPECT_EQ(read("job/model.toml"), model);
  fs::create_directory(folder_ / "home");
  write("home/cells.csv", "mine");
  EXPECT_EQ(kiln("run small.toml --out home --resume").exit_code, 2);
  EXPECT_EQ(read("home/cells.csv"), "mine");

  ASSERT_EQ(kiln("run small.toml --out r --mcs 4").exit_code, 0);
  EXPECT_EQ(read("r/source.toml"), read("small.toml"));  // comments and all
  write("r/notes.txt", "mine");
  EXPECT_EQ(kiln("run small.toml --out r --force").out,
            "kiln: r holds notes.txt, which is no file of a run, so --force leaves the folder alone; move it "
            "away, or give another --out.\n");
  EXPECT_EQ(value(read("r/run.json"), "mcs"), "4");
  EXPECT_EQ(kiln("run small.toml --out r --resume --mcs 8").exit_code, 0);
  // By its own model a run may go on, but not be replaced.
  EXPECT_EQ(kiln("run r/model.toml --out r --resume --mcs 12").exit_code, 0);
  EXPECT_EQ(value(read("r/run.json"), "mcs"), "12");
  EXPECT_EQ(read("r/source.toml"), read("small.toml"));
  fs::remove(folder_ / "r/notes.txt");
  EXPECT_EQ(kiln("run r/source.toml --out r --force").exit_code, 2);
  EXPECT_EQ(read("r/source.toml"), read("small.toml"));
}

TEST_F(Cli, RunsAtOnceTakeFoldersOfTheirOwn) {
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) children.push_back(spawn({"run", "small.toml", "--mcs", "3"}));
  for (const pid_t child : children) EXPECT_EQ(exit_code_of(child), 0) << read("log");
  for (const char* name : {"small", "small-2", "small-3", "small-4", "small-5", "small-6"})
    EXPECT_EQ(value(read(fs::path("runs") / name / "run.json"), "mcs"), "3") << name;
  EXPECT_FALSE(fs::exists(folder_ / "runs/small-7"));
}

TEST_F(Cli, BricksGiveTheFilesOfOnePiece) {
  ASSERT_EQ(kiln("run small.toml --engine threads --out whole").exit_code, 0);
  const Result cut = kiln("run small.toml --bricks 2x2 --out cut --mcs 20 --json");
  ASSERT_EQ(cut.exit_code, 0) << cut.out;
  const Result rest = kiln("run small.toml --bricks 1x3 --out cut --resume --json");
  ASSERT_EQ(rest.exit_code, 0) << rest.out;
  EXPECT_EQ(value(rest.out, "hash"), value(read("whole/run.json"), "hash"));
  for (const char* file :
       {"cells.csv", "measures.csv", "lags.csv", "pictures/view_00000040.png", "pictures/view.png"})
    EXPECT_EQ(read(fs::path("cut") / file), read(fs::path("whole") / file)) << file;
  EXPECT_EQ(kiln("run small.toml --bricks 2 --out no").out,
            "kiln: --bricks is \"2\"; it has to be a number of bricks along every axis, as 2x1.\n");
  EXPECT_EQ(kiln("run small.toml --bricks 20x1 --out no").out,
            "kiln: --bricks is \"20x1\", but bricks have to be 4 sites thick at least, and the lattice is 40 "
            "x 40.\n");
  EXPECT_EQ(
      kiln("run small.toml --bricks 2x1 --engine serial --out no").out,
      "kiln: --bricks is \"2x1\", but only the tiles schedule, on threads or GPUs, is played in bricks.\n");
  EXPECT_EQ(
      kiln("run small.toml --devices 0,x --out no").out,
      "kiln: --devices is \"0,x\", but must be all, or numbers of GPUs with commas between, as 0,1,3.\n");
  EXPECT_EQ(kiln("run small.toml --devices 0,1 --engine threads --out no").out,
            "kiln: --devices is \"0,1\", but the threads engine plays on no GPU; leave one of --devices and "
            "--engine out.\n");
}

TEST_F(Cli, ResumingGivesTheBitsAndTablesOfARunNeverStopped) {
  ASSERT_EQ(kiln("run small.toml --out whole").exit_code, 0);
  ASSERT_EQ(kiln("run small.toml --out parts --mcs 20").exit_code, 0);
  const Result rest = kiln("run small.toml --out parts --resume --json");
  ASSERT_EQ(rest.exit_code, 0) << rest.out;
  EXPECT_EQ(value(rest.out, "hash"), value(read("whole/run.json"), "hash"));
  for (const char* file :
       {"cells.csv", "measures.csv", "lags.csv", "pictures/view_00000040.png", "pictures/view.png"})
    EXPECT_EQ(read(fs::path("parts") / file), read(fs::path("whole") / file)) << file;
  // A finished run with no more to do prints its hash; with a larger --mcs it goes on.
  EXPECT_EQ(value(kiln("run small.toml --out parts --resume --json").out, "hash"), value(rest.out, "hash"));
  const Result longer = kiln("run small.toml --out parts --resume --mcs 50 --json");
  ASSERT_EQ(longer.exit_code, 0) << longer.out;
  EXPECT_EQ(value(longer.out, "hash"), value(kiln("run small.toml --out fifty --mcs 50 --json").out, "hash"));
  const Result other = kiln("run small.toml --out parts --resume --set temperature=5");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(
      other.out,
      "kiln: parts/checkpoint.h5 belongs to another model than the one given: temperature is 20 there and 5 "
      "here. Only the number of MCS may change on --resume. (--from starts a new run from it.)\n");
  EXPECT_NE(kiln("run small.toml --out parts --resume --seed 5").out.find(": seed is 1 there and 5 here."),
            std::string::npos);
  EXPECT_NE(kiln("run small.toml --out parts --resume --set lattice.size=[40,41] --set measure.every=2")
                .out.find("lattice.size is [40, 40] there and [40, 41] here, and 1 more key differs."),
            std::string::npos);
}

// Without options a run goes on with the schedule it began with, also where the default is another.
TEST_F(Cli, ResumingKeepsTheSchedule) {
  const std::string whole = value(kiln("run small.toml --out whole --engine serial --json").out, "hash");
  ASSERT_NE(whole, value(kiln("run small.toml --out tiles --engine threads --json").out, "hash"));
  ASSERT_EQ(kiln("run small.toml --out serial --engine serial --mcs 20").exit_code, 0);
  const Result rest = kiln("run small.toml --out serial --resume --json");
  ASSERT_EQ(rest.exit_code, 0) << rest.out;
  EXPECT_EQ(value(rest.out, "engine"), "serial");
  EXPECT_EQ(value(rest.out, "schedule"), "serial");
  EXPECT_EQ(value(rest.out, "hash"), whole);

  const std::string board =
      value(kiln("run small.toml --out board --engine threads --schedule checkerboard --json").out, "hash");
  ASSERT_EQ(kiln("run small.toml --out parts --schedule checkerboard --mcs 20").exit_code, 0);
  const Result on_threads = kiln("run small.toml --out parts --engine threads --resume --json");
  ASSERT_EQ(on_threads.exit_code, 0) << on_threads.out;
  EXPECT_EQ(value(on_threads.out, "schedule"), "checkerboard");
  EXPECT_EQ(value(on_threads.out, "hash"), board);
}

TEST_F(Cli, ResumingWithAnotherScheduleIsRefused) {
  ASSERT_EQ(kiln("run small.toml --out serial --engine serial --mcs 20").exit_code, 0);
  ASSERT_EQ(kiln("run small.toml --out tiles --engine threads --mcs 20").exit_code, 0);
  const struct {
    const char *folder, *options;
  } refused[] = {
      {"serial", "--engine threads"},
      {"serial", "--schedule tiles"},
      {"serial", "--engine threads --schedule checkerboard"},
      {"tiles", "--engine serial"},
      {"tiles", "--schedule serial"},
      {"tiles", "--schedule checkerboard"},
  };
  for (const auto& [began, options] : refused) {
    const std::string before = read(fs::path(began) / "run.json");
    const Result r = kiln(std::string("run small.toml --resume --out ") + began + " " + options);
    EXPECT_EQ(r.exit_code, 2) << began << " " << options;
    EXPECT_EQ(r.out, std::string("kiln: ") + began + " was begun with the schedule " + began +
                         ", and can only be resumed with it; leave --engine and --schedule out, or start a "
                         "new run.\n")
        << options;
    EXPECT_EQ(read(fs::path(began) / "run.json"), before) << options;
  }
}

TEST_F(Cli, CtrlCEndsCleanlyAndTheRunCanGoOn) {
  const pid_t child = spawn({"run", "small.toml", "--out", "r", "--mcs", "400000"});
  // Once the first picture is there the run is under way.
  ASSERT_TRUE(has_written(child, "r/pictures/view_00000010.png")) << read("log");
  kill(child, SIGINT);
  EXPECT_EQ(exit_code_of(child), 128 + SIGINT);
  const std::string record = read("r/run.json");
  EXPECT_EQ(value(record, "interrupted"), "true");
  const int mcs = std::stoi(value(record, "mcs"));
  EXPECT_GE(mcs, 10);
  EXPECT_TRUE(fs::exists(folder_ / "r/measures.csv"));
  EXPECT_TRUE(fs::exists(folder_ / "r/report.html"));
  const std::string length = std::to_string(mcs + 7);
  const Result resumed = kiln("run small.toml --out r --resume --json --mcs " + length);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.out;
  const Result whole = kiln("run small.toml --out whole --json --mcs " + length);
  EXPECT_EQ(value(resumed.out, "hash"), value(whole.out, "hash"));
}

TEST_F(Cli, MistakesGetASentenceAndWriteNothing) {
  write("bad.toml", "[lattice]\nsize = [40, 40]\n[types.cell]\nvolume = {target = 30, lamda = 2}\n");
  const Result r = kiln("run bad.toml --out r");
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_NE(r.out.find("bad.toml:4: "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("lamda"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("lambda"), std::string::npos) << r.out;
  EXPECT_FALSE(fs::exists(folder_ / "r"));
  EXPECT_EQ(kiln("run missing.toml --out r").exit_code, 2);
  EXPECT_EQ(kiln("run small.toml --out r --mcs -3").exit_code, 2);
  EXPECT_EQ(kiln("run small.toml --out r --engine warp").exit_code, 2);
  EXPECT_EQ(kiln("run small.toml --out r --nonsense").exit_code, 2);
  EXPECT_EQ(kiln("").exit_code, 2);
  EXPECT_EQ(kiln("bench nonsense").exit_code, 2);
  EXPECT_FALSE(fs::exists(folder_ / "r"));
  const Result blocked = kiln("run small.toml --out small.toml/r");
  EXPECT_NE(blocked.exit_code, 0);
  EXPECT_EQ(blocked.out.rfind("kiln: ", blocked.out.find("kiln: ")), blocked.out.find("kiln: "))
      << blocked.out;
}

// The lines that `import` prints are a model's.
TEST_F(Cli, AStackBecomesATissue) {
  EXPECT_EQ(kiln("phantom reticulum --size-um 24 24 16 --voxel-um 1 1 1 --out stack.npy").exit_code, 0);
  const Result look = kiln("import stack.npy --voxel-um 1 1 2 --site-um 1 --threshold 60 --out look");
  ASSERT_EQ(look.exit_code, 0) << look.out;
  EXPECT_NE(look.out.find("sites           24 x 24 x 32 of 1 µm = 18,432 sites"), std::string::npos)
      << look.out;
  EXPECT_NE(look.out.find("threshold       60\n"), std::string::npos) << look.out;
  const std::string marker = "For a model file:\n";
  const std::size_t lines = look.out.find(marker);
  ASSERT_NE(lines, std::string::npos) << look.out;
  write("tissue.toml", "pictures = []\n" + look.out.substr(lines + marker.size()) + R"(type = "stroma"
[[initial]]
kind = "seeds"
type = "tcell"
count = 20
[types.stroma]
frozen = true
[types.tcell]
volume = {target = 40, lambda = 5}
)");
  const Result run = kiln("run tissue.toml --mcs 5 --engine serial --json --set lattice.boundary=closed");
  ASSERT_EQ(run.exit_code, 0) << run.out;
  EXPECT_EQ(value(run.out, "cells"), "20");  // the stroma is not counted
  const Result none = kiln("import stack.npy --crop-from 0 0 30");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.out.find("is to be cropped from (0, 0, 30) to (24, 24, 16)"), std::string::npos) << none.out;
}

TEST_F(Cli, ExportWritesSavedStatesAsOmeTiff) {
#if !defined(KILN_HAS_TIFF) || !defined(KILN_HAS_HDF5)
  GTEST_SKIP() << "needs HDF5, libtiff and pugixml";
#endif
  ASSERT_EQ(kiln("run small.toml --mcs 4 --set output.lattice_every=2 --out r").exit_code, 0);
  const Result last = kiln("export r");
  EXPECT_EQ(last.exit_code, 0);
  EXPECT_EQ(last.out, "r/labels/labels_00000004.ome.tif\n");
  EXPECT_EQ(kiln("export r --mcs 2 --out two.ome.tif").out, "two.ome.tif\n");
  EXPECT_NE(read("two.ome.tif"), read("r/labels/labels_00000004.ome.tif"));
  EXPECT_EQ(kiln("export r --all").exit_code, 0);
  EXPECT_EQ(read("two.ome.tif"), read("r/labels/labels_00000002.ome.tif"));
  const Result both = kiln("export r --all --out x.tif");
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.out.find("--out names one file, but --all writes several"), std::string::npos) << both.out;
  const Result missing = kiln("export r --mcs 3");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.out.find("has no snapshot of MCS 3; it has 0, 2, 4."), std::string::npos) << missing.out;

  // The same files come from the run itself.
  ASSERT_EQ(
      kiln("run small.toml --mcs 4 --set output.lattice_every=2 --set output.lattice_format=ome-tiff --out s")
          .exit_code,
      0);
  EXPECT_EQ(read("s/labels/labels_00000002.ome.tif"), read("two.ome.tif"));
  EXPECT_FALSE(fs::exists(folder_ / "s/lattice.h5"));
  EXPECT_NE(kiln("export s").out.find("s has no lattice.h5"), std::string::npos);
}

TEST_F(Cli, ValidateBenchInfoRenderAndHelp) {
  const Result validate = kiln("validate small.toml");
  EXPECT_EQ(validate.exit_code, 0);
  EXPECT_NE(validate.out.find("40 x 40"), std::string::npos) << validate.out;
  const Result bench = kiln("bench sorting2d --size 36 --mcs 3 --json");
  EXPECT_EQ(bench.exit_code, 0);
  for (const char* key : {"case", "size", "replicas", "engine", "schedule", "device", "ms_per_mcs",
                          "site_updates_per_second", "hash"})
    EXPECT_NE(value(bench.out, key), "") << key << " in " << bench.out;
  const Result replicas = kiln("bench sorting2d --size 36 --mcs 3 --replicas 3 --engine threads --json");
  EXPECT_EQ(value(replicas.out, "replicas"), "3") << replicas.out;
  EXPECT_EQ(value(replicas.out, "hash"), value(bench.out, "hash"));
  EXPECT_EQ(kiln("bench sorting2d --size 36 --replicas 0").exit_code, 2);
  const Result warmer = kiln("bench sorting2d --size 36 --mcs 3 --set temperature=20 --json");
  EXPECT_EQ(warmer.exit_code, 0);
  EXPECT_NE(value(warmer.out, "hash"), value(bench.out, "hash"));
  const Result generic = kiln("bench sorting2d --size 36 --generic --engine threads");
  EXPECT_EQ(generic.exit_code, 2);
  EXPECT_NE(generic.out.find("--generic needs --engine cuda --schedule checkerboard."), std::string::npos);
  const Result everything = kiln("bench sorting2d --size 36 --all-terms --engine threads");
  EXPECT_EQ(everything.exit_code, 2);
  EXPECT_NE(everything.out.find("--all-terms needs --engine cuda"), std::string::npos);
  for (const char* name : {"dense3d", "act3d", "collective3d", "lymphnode"})
    EXPECT_EQ(kiln(std::string("bench ") + name + " --size 30 --mcs 2").exit_code, 0) << name;
  EXPECT_EQ(kiln("bench chemotaxis2d --size 120 --mcs 2").exit_code, 0);
  EXPECT_EQ(kiln("bench actcell2d --size 60 --mcs 2").exit_code, 0);
  EXPECT_NE(kiln("info").out.find("serial"), std::string::npos);
  EXPECT_EQ(kiln("run --help").exit_code, 0);
  ASSERT_EQ(kiln("render small.toml --out first.png --width 80").exit_code, 0);
  EXPECT_EQ(read("first.png").substr(1, 3), "PNG");
  ASSERT_EQ(kiln("run small.toml --out r --mcs 4 --set output.lattice_every=2").exit_code, 0);
  ASSERT_EQ(kiln("render r --colour cell --mcs 2 --out later.png --width 80").exit_code, 0);
  EXPECT_EQ(read("later.png").substr(1, 3), "PNG");
  EXPECT_NE(read("later.png"), read("first.png"));
}

TEST_F(Cli, NotesSayThatPiecesAreUsualWithoutConnectivity) {
  ASSERT_EQ(kiln("run small.toml --set temperature=80 --out hot").exit_code, 0);
  EXPECT_NE(read("hot/run.json")
                .find("in more than one piece, as is usual where no term forbids it; "
                      "`connectivity` keeps cells whole."),
            std::string::npos)
      << read("hot/run.json");
  ASSERT_EQ(kiln("run small.toml --set types.cell.connectivity.hard=true --out whole").exit_code, 0);
  EXPECT_EQ(read("whole/run.json").find("as is usual"), std::string::npos);
}

}  // namespace
}  // namespace kiln
