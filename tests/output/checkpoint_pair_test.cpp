#include "output/state/checkpoint_pair.hpp"

#include <set>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "data/hdf5/file.hpp"
#include "file_examples.hpp"

namespace kiln {
namespace {

const ExampleKind kKind{{6, 5, 4}, 3, true, true};

class CheckpointPair : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  }
  void add(int64_t mcs) { add_checkpoint(run_, example_state(kKind, 5, mcs), {}); }
  int64_t found_mcs() { return find_checkpoint(run_)->checkpoint.state.mcs; }
  std::set<std::string> files() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(run_.path))
      names.insert(entry.path().filename().string());
    return names;
  }

  ScratchFolder folder_;
  RunFolder run_{folder_.path()};
};

TEST_F(CheckpointPair, KeepsTheTwoLast) {
  EXPECT_FALSE(find_checkpoint(run_));
  add(100);
  EXPECT_EQ(files(), (std::set<std::string>{"checkpoint.h5"}));
  add(200);
  add(300);
  EXPECT_EQ(files(), (std::set<std::string>{"checkpoint.h5", "checkpoint-before.h5"}));
  EXPECT_EQ(found_mcs(), 300);
  EXPECT_EQ(read_checkpoint(run_.checkpoint_before()).state.mcs, 200);
}

TEST_F(CheckpointPair, AGoodOneIsNotDisplacedByADamagedOne) {
  add(100);
  add(200);
  std::filesystem::resize_file(run_.checkpoint(), 700);
  const std::optional<FoundCheckpoint> found = find_checkpoint(run_);
  EXPECT_EQ(found->checkpoint.state.mcs, 100);
  EXPECT_EQ(found->file, run_.checkpoint_before());
  EXPECT_EQ(found->refused,
            run_.checkpoint().string() + " is damaged: it was cut off or changed after it was written.");
  put_refused_aside(run_, *found);
  EXPECT_EQ(files(), (std::set<std::string>{"checkpoint.h5", "checkpoint-refused.h5"}));
  add(200);
  EXPECT_EQ(found_mcs(), 200);
  EXPECT_EQ(read_checkpoint(run_.checkpoint_before()).state.mcs, 100);
}

// What a process leaves that dies between any two steps of adding one.
TEST_F(CheckpointPair, OneIsThereWhereverAddingStopped) {
  add(100);
  add(200);
  write_checkpoint(run_.checkpoint_next(), example_state(kKind, 5, 300), {});
  EXPECT_EQ(found_mcs(), 200);
  std::filesystem::rename(run_.checkpoint(), run_.checkpoint_before());
  EXPECT_EQ(found_mcs(), 200);
  add(300);
  EXPECT_EQ(found_mcs(), 300);
  EXPECT_EQ(read_checkpoint(run_.checkpoint_before()).state.mcs, 200);
}

TEST_F(CheckpointPair, RemembersTypesAndWhereABranchBegan) {
  CheckpointInfo info;
  info.types = {{"medium", 0}, {"T cell", 15}};
  info.from = BranchPoint{"runs/a/checkpoint.h5", "0123456789abcdef", 4000};
  write_checkpoint(run_.checkpoint(), example_state(kKind), info);
  const Checkpoint read = read_checkpoint(run_.checkpoint());
  EXPECT_EQ(read.info.types, info.types);
  EXPECT_EQ(read.info.from->file, info.from->file);
  EXPECT_EQ(read.info.from->hash, info.from->hash);
  EXPECT_EQ(read.info.from->mcs, info.from->mcs);
}

TEST(AtomicFile, LeftoversAreTakenAwayAndNothingElse) {
  const ScratchFolder folder;
  for (const char* name :
       {"a.h5.123.part", ".b.csv.part", "c.part", "123.part", "d.12x.part", "e.1.part.txt"})
    set_bytes(folder / name, "x");
  std::filesystem::create_directories(folder / "snapshots.77.part/more");
  remove_leftovers(folder.path());
  std::set<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    left.insert(entry.path().filename().string());
  EXPECT_EQ(left, (std::set<std::string>{".b.csv.part", "c.part", "123.part", "d.12x.part", "e.1.part.txt"}));
}

TEST(AtomicFile, AFailureNamesTheFileThatAPersonKnows) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder / "result.h5";
  try {
    write_atomically(path, [](const std::filesystem::path& temporary) {
      set_bytes(temporary, "half");
      throw Failure("cannot write " + temporary.string() + ": no room.");
    });
    FAIL() << "nothing was thrown";
  } catch (const Failure& e) {
    EXPECT_EQ(e.what(), "cannot write " + path.string() + ": no room.");
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace kiln
