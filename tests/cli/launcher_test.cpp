// The script ./kiln: what it shows of a first build. CMake is played by a script that prints what ninja
// would.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace kiln {
namespace {

namespace fs = std::filesystem;

class Launcher : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "build");
    std::ofstream(folder_ / "build" / "build.ninja") << "\n";
    std::ofstream(folder_ / "build" / ".packages-checked") << "\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // A first build that does this, then `./kiln info`; standard error comes back, and how it ended.
  std::string run(const std::string& building, const std::string& variables = "") {
    std::ofstream(folder_ / "cmake") << "#!/bin/bash\n" << building << "\n";
    fs::permissions(folder_ / "cmake", fs::perms::owner_all);
    const std::string command = variables + " PATH=\"" + folder_.string() + ":$PATH\" KILN_BUILD=\"" +
                                (folder_ / "build").string() +
                                "\" \"" KILN_SOURCE_DIR "/kiln\" info 2>&1 >/dev/null";
    FILE* pipe = popen(command.c_str(), "r");
    std::string text;
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += char(c);
    status_ = WEXITSTATUS(pclose(pipe));
    return text;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("kiln_launcher_" + std::to_string(::getpid()));
  int status_ = -1;
};

TEST_F(Launcher, AFirstBuildSaysHowFarItIs) {
  const std::string text =
      run("for i in $(seq 190); do printf '%s %d\\n' \"${NINJA_STATUS/\\%p/$(printf '%3d%%' $((i * 100 / "
          "190)))}Building CXX "
          "object\" $i; [ $i != 95 ] || echo 'x.cpp:3: warning: unused'; done\n"
          "printf '#!/bin/sh\\n' > \"$KILN_BUILD/kiln\"; chmod +x \"$KILN_BUILD/kiln\"");
  EXPECT_EQ(status_, 0);
  EXPECT_EQ(text,
            "kiln: building (the first time takes a few minutes)\nkiln: building 0%\nkiln: building 10%\n"
            "kiln: building 20%\nkiln: building 30%\nkiln: building 40%\nkiln: building 50%\nx.cpp:3: "
            "warning: unused\n"
            "kiln: building 60%\nkiln: building 70%\nkiln: building 80%\nkiln: building 90%\nkiln: building "
            "100%\n");
}

// Many processes would all build at once.
TEST_F(Launcher, UnderMpirunItBuildsNothing) {
  EXPECT_EQ(run("exit 1", "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=0"),
            "kiln: build it first, once: ./kiln info\n");
  EXPECT_EQ(status_, 1);
  EXPECT_EQ(run("exit 1", "OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_RANK=3"), "");
  EXPECT_EQ(status_, 1);
  std::ofstream(folder_ / "build/kiln") << "#!/bin/sh\necho played >&2\n";
  fs::permissions(folder_ / "build/kiln", fs::perms::owner_all);
  EXPECT_EQ(run("exit 1", "PMI_SIZE=2 PMI_RANK=1"), "played\n");
  EXPECT_EQ(status_, 0);
}

TEST_F(Launcher, ABuildThatFailsShowsWhyAndEndsTheScript) {
  const std::string text =
      run("echo '@  5% Building CXX object a.o'; echo 'FAILED: a.o'; echo 'a.cpp:1: error: no'; exit 1");
  EXPECT_EQ(status_, 1);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "FAILED: a.o\na.cpp:1: error: no\n", text);
}

}  // namespace
}  // namespace kiln
