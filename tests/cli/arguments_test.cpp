// What the command line is given by mistake: numbers, names, files, limits.
#include "cli_fixture.hpp"

namespace kiln {
namespace {

class Arguments : public Cli {
 protected:
  void expect_refused(const std::string& call, const std::string& sentence) const {
    const Result r = kiln(call);
    EXPECT_EQ(r.exit_code, 2) << call << ": " << r.out;
    EXPECT_EQ(r.out, "kiln: " + sentence + "\n") << call;
  }
  // A .npy array of 32-bit integers.
  void write_npy(const std::string& name, const std::string& shape, const std::vector<int32_t>& values) {
    std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': " + shape + ", }";
    header.resize(117, ' ');
    header += '\n';
    std::string text("\x93NUMPY\x01\x00\x76\x00", 10);
    text += header;
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(int32_t));
    write(name, text);
  }
};

TEST_F(Arguments, NumbersThatDoNotFit) {
  const std::string seed = "--seed is {}, but must be an integer between 0 and 9223372036854775807.";
  const std::string mcs = "--mcs is {}, but must be an integer between 0 and 1000000000000.";
  const auto with = [](std::string text, const std::string& value) {
    return text.replace(text.find("{}"), 2, value);
  };
  for (const char* command : {"run", "sweep"}) {
    for (const char* value : {"-1", "1.5", "9223372036854775808", "nan", "x"})
      expect_refused(std::string(command) + " small.toml --seed " + value, with(seed, value));
    for (const char* value : {"-1", "1.5", "1e13", "inf", "10x"})
      expect_refused(std::string(command) + " small.toml --mcs " + value, with(mcs, value));
  }
  expect_refused("render small.toml --mcs 1.5", with(mcs, "1.5"));
}

TEST_F(Arguments, NumbersMayBeWrittenAsInModels) {
  EXPECT_EQ(value(kiln("run small.toml --mcs 2e1 --seed 3.0 --json --out a").out, "mcs"), "20");
  EXPECT_EQ(value(read("a/run.json"), "seed"), "3");
}

TEST_F(Arguments, CommandsThatDoNotExist) {
  expect_refused("rnu small.toml", "there is no command rnu; did you mean run?");
  expect_refused("valdiate small.toml", "there is no command valdiate; did you mean validate?");
  const Result far = kiln("simulate small.toml");
  EXPECT_EQ(far.exit_code, 2);
  EXPECT_EQ(far.out.rfind("kiln: there is no command simulate; there are run, sweep, bench, ", 0), 0u)
      << far.out;
}

TEST_F(Arguments, ChoicesThatDoNotExist) {
  expect_refused("render small.toml --view cube", "--view is cube, but must be one of slice, solid.");
  expect_refused("render small.toml --axis w", "--axis is w, but must be one of x, y, z.");
  const std::string help = kiln("render --help").out;
  EXPECT_NE(help.find("--view VIEW  "), std::string::npos) << help;
  EXPECT_EQ(help.find("->"), std::string::npos) << help;
  EXPECT_NE(kiln("import --help").out.find("--crop-from X Y [Z]"), std::string::npos);
}

// What CLI11 would say of checks and of flags that take something back.
TEST_F(Arguments, HelpIsWrittenForPeople) {
  for (const char* command :
       {"run", "sweep", "bench", "fidelity", "validate", "info", "render", "export", "import", "phantom"}) {
    const Result r = kiln(command + std::string(" --help"));
    EXPECT_EQ(r.exit_code, 0);
    for (const char* raw : {"->", "{false}", ":INT", " in [", " in {", "NONNEGATIVE", " x 2", " x 3"})
      EXPECT_EQ(r.out.find(raw), std::string::npos) << command << " has \"" << raw << "\"\n" << r.out;
  }
}

TEST_F(Arguments, RenderReplacesOnlyPictures) {
  const std::string model = read("small.toml");
  expect_refused("render small.toml --out small.toml",
                 "--out is small.toml, but the name of a PNG picture must end in .png.");
  EXPECT_EQ(read("small.toml"), model);
  write("notes.png", "not a picture");
  expect_refused("render small.toml --out notes.png",
                 "notes.png exists and is no PNG picture, so it is not replaced; give another --out.");
  EXPECT_EQ(read("notes.png"), "not a picture");
  ASSERT_EQ(kiln("render small.toml --out view.PNG").exit_code, 0);
  const std::string first = read("view.PNG");
  ASSERT_EQ(kiln("render small.toml --out view.PNG --colour cell").exit_code, 0);
  EXPECT_EQ(read("view.PNG").substr(1, 3), "PNG");
  EXPECT_NE(read("view.PNG"), first);
}

TEST_F(Arguments, ExportReplacesOnlyImages) {
#if !defined(KILN_HAS_TIFF) || !defined(KILN_HAS_HDF5)
  GTEST_SKIP() << "needs HDF5, libtiff and pugixml";
#endif
  ASSERT_EQ(kiln("run small.toml --set 'pictures=[]' --out run").exit_code, 0);
  const std::string model = read("small.toml");
  expect_refused("export run --out small.toml",
                 "--out is small.toml, but the name of a TIFF image must end in .tif or .tiff.");
  EXPECT_EQ(read("small.toml"), model);
  write("notes.tif", "not an image");
  expect_refused("export run --out notes.tif",
                 "notes.tif exists and is no TIFF image, so it is not replaced; give another --out.");
  ASSERT_EQ(kiln("export run --out labels.tif").exit_code, 0);
  EXPECT_EQ(kiln("export run --mcs 40 --out labels.tif").exit_code, 0);
}

TEST_F(Arguments, ImportRefusesWhatARunWould) {
  write_npy("negative.npy", "(2, 3)", {0, 1, 1, -5, 2, 2});
  expect_refused("import negative.npy --labels",
                 "negative.npy holds the label -5; labels must be 0 or more.");
  for (const char* option : {"--threshold nan", "--smooth-um nan", "--voxel-um nan", "--site-um inf"}) {
    const Result r = kiln(std::string("import negative.npy ") + option);
    EXPECT_EQ(r.exit_code, 2) << option;
    EXPECT_NE(r.out.find(" is not a number between "), std::string::npos) << r.out;
  }
  write_npy("stack.npy", "(2, 2, 3)", std::vector<int32_t>(12, 1));
  expect_refused("import stack.npy --voxel-um 1 2",
                 "--voxel-um has 2 numbers, but stack.npy has 2 slices; give one or three: x y z.");
  expect_refused("import stack.npy --crop-to 1 2",
                 "--crop-to has 2 numbers, but stack.npy has 2 slices; give three: x y z.");
}

TEST_F(Arguments, ImportSaysWhichChannelAndTimeItTakes) {
  std::vector<int32_t> values(2 * 3 * 2 * 4 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = int32_t(i % 7);
  write_npy("many.npy", "(2, 3, 2, 4, 5)", values);
  const Result r = kiln("import many.npy --labels --channel 2");
  ASSERT_EQ(r.exit_code, 0) << r.out;
  EXPECT_NE(r.out.find("channels        3, of which 2 is taken; --channel N takes another\n"),
            std::string::npos)
      << r.out;
  EXPECT_NE(r.out.find("times           2, of which 0 is taken; --time N takes another\n"), std::string::npos)
      << r.out;
  write_npy("one.npy", "(2, 4, 5)", std::vector<int32_t>(40, 1));
  EXPECT_EQ(kiln("import one.npy --labels").out.find("of which"), std::string::npos);
}

// What is printed makes a model, and one of the same size.
TEST_F(Arguments, ImportPrintsAModel) {
  std::vector<int32_t> values(6 * 9 * 12);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = int32_t(i % 12 < 6 ? 1 : 2);
  write_npy("two.npy", "(6, 9, 12)", values);
  for (const char* options : {"--labels --voxel-um 1 1 2", "--threshold 1.5"}) {
    const Result r = kiln(std::string("import two.npy ") + options);
    ASSERT_EQ(r.exit_code, 0) << r.out;
    const std::string lines = r.out.substr(r.out.find("[lattice]"));
    EXPECT_NE(lines.find(std::string("size = [12, 9, ") + (options[2] == 'l' ? "12]" : "6]")),
              std::string::npos)
        << lines;
    write("printed.toml", lines + "type = \"cell\"\n[types.cell]\nvolume = {target = 300, lambda = 1}\n");
    const Result run = kiln("run printed.toml --mcs 2 --force --json --out printed");
    EXPECT_EQ(run.exit_code, 0) << run.out;
    EXPECT_EQ(value(run.out, "cells"), options[2] == 'l' ? "2" : "1");
  }
}

TEST_F(Arguments, PathsThatCannotBeUsed) {
  fs::create_symlink("loop", folder_ / "loop");
  for (const char* call :
       {"run small.toml --out loop", "run loop", "import loop --labels", "sweep small.toml --out loop",
        "render loop", "run small.toml --from loop", "import small.npy --labels --out loop/x"}) {
    write_npy("small.npy", "(2, 3)", {0, 1, 1, 2, 2, 2});
    const Result r = kiln(call);
    EXPECT_EQ(r.exit_code, 2) << call << ": " << r.out;
    EXPECT_EQ(r.out.find("filesystem error"), std::string::npos) << r.out;
    EXPECT_NE(r.out.find("loop"), std::string::npos) << r.out;
  }
  const Result proc = kiln("import small.npy --labels --out /proc/x");
  EXPECT_EQ(proc.exit_code, 2) << proc.out;
  EXPECT_NE(proc.out.find("kiln: cannot use /proc/x: No such file or directory.\n"), std::string::npos)
      << proc.out;
}

#ifndef __SANITIZE_ADDRESS__
// Too little address space for a thread's stack, or for anything: a sentence, not a library's words.
TEST_F(Arguments, LimitsOnMemory) {
  int sentences = 0;
  for (const char* kilobytes : {"40000", "50000", "60000", "70000", "80000", "100000"}) {
    const Result r = shell("ulimit -v " + std::string(kilobytes) +
                           " && " KILN_BINARY
                           " run small.toml --engine threads --threads 16 --force --json --out limited");
    if (r.exit_code == 0 || r.exit_code == 127) continue;  // enough, or not even for the loader
    EXPECT_EQ(r.exit_code, 1) << r.out;
    EXPECT_TRUE(r.out.find("kiln: not enough memory.") != std::string::npos ||
                r.out.find("kiln: no further thread can be started") != std::string::npos)
        << kilobytes << ": " << r.out;
    ++sentences;
  }
  EXPECT_GT(sentences, 0);
}
#endif

}  // namespace
}  // namespace kiln
