// A small run that writes much, and what a run that went through something is compared with: one that did
// not.
#pragma once

#include <set>

#include "cli_fixture.hpp"
#include "output/state/checkpoint.hpp"
#include "output/state/snapshot.hpp"

namespace kiln {

class Survival : public Cli {
 protected:
  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
    // In memory: these tests write hundreds of times what others do, and wait for the disk each time.
    if (access("/dev/shm", W_OK) == 0) root_ = "/dev/shm";
    Cli::SetUp();
    write("busy.toml", read("small.toml") + R"([output]
checkpoint_every = 2
lattice_every = 7
)");
    const Result whole = kiln("run busy.toml --out whole --json");
    ASSERT_EQ(whole.exit_code, 0) << whole.out;
    hash_ = value(whole.out, "hash");
  }

  // The same bits, tables, animation and snapshots as the run that was never stopped, and nothing else.
  void expect_as_never_stopped(const fs::path& run) const {
    EXPECT_EQ(value(read(run / "run.json"), "hash"), hash_) << run;
    EXPECT_EQ(value(read(run / "run.json"), "interrupted"), "false") << run;
    for (const char* file : {"cells.csv", "measures.csv", "lags.csv", "speeds.csv", "motility.csv",
                             "lattice.xdmf", "pictures/view.png", "pictures/view_00000040.png"})
      EXPECT_TRUE(read(run / file) == read(fs::path("whole") / file)) << run / file;
    const fs::path found = folder_ / run / "lattice.h5", expected = folder_ / "whole/lattice.h5";
    ASSERT_EQ(snapshot_times(found), snapshot_times(expected)) << run;
    for (const int64_t mcs : snapshot_times(found))
      EXPECT_TRUE(read_snapshot(found, mcs).ids == read_snapshot(expected, mcs).ids) << run << " " << mcs;
    EXPECT_EQ(files_in(run), files_in("whole"));
    // No part that nothing needs.
    for (const std::string& parts : parts_in(run / "lattice-parts"))
      EXPECT_TRUE(fs::exists(folder_ / run / "lattice-parts" / parts / "part_00000.h5")) << parts;
    EXPECT_LE(parts_in(run / "lattice-parts").size(), snapshot_times(found).size());
    std::set<std::string> used;
    for (const char* file : {"checkpoint.h5", "checkpoint-before.h5"})
      if (fs::exists(folder_ / run / file))
        used.insert(fs::path(parts_of_checkpoint(folder_ / run / file)).filename().string());
    used.erase("");
    EXPECT_EQ(parts_in(run / "checkpoint-parts"), used) << run;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / run))
      EXPECT_NE(entry.path().filename().string()[0], '.') << entry.path();
  }

  // All but checkpoints, of which there may be one or two, what an ffmpeg of a killed run still writes, and
  // what several processes write in parts.
  std::set<std::string> files_in(const fs::path& run) const {
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / run)) {
      const std::string name = fs::relative(entry.path(), folder_ / run).string();
      if (!name.starts_with("checkpoint") && !name.starts_with("lattice-parts") &&
          !name.starts_with("pictures/view.mp4."))
        names.insert(name);
    }
    return names;
  }
  // Folders of parts; none where there are no parts.
  std::set<std::string> parts_in(const fs::path& folder) const {
    std::set<std::string> names;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_ / folder, none))
      names.insert(entry.path().filename().string());
    return names;
  }

  std::string hash_;
};

}  // namespace kiln
