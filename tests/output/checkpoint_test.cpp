#include "output/state/checkpoint.hpp"

#include <bit>
#include <limits>

#include "base/error.hpp"
#include "data/hdf5/file.hpp"
#include "file_examples.hpp"
#include "output/state/hdf5_seal.hpp"

namespace kiln {
namespace {

template <class T>
void expect_same_bits(const std::vector<Vec3<T>>& a, const std::vector<Vec3<T>>& b) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int axis = 0; axis < 3; ++axis)
      EXPECT_EQ(std::bit_cast<Bits>(a[i][axis]), std::bit_cast<Bits>(b[i][axis])) << i << " axis " << axis;
}

void expect_same(const State& a, const State& b) {
  EXPECT_EQ(a.lattice.size, b.lattice.size);
  EXPECT_EQ(a.lattice.periodic, b.lattice.periodic);
  EXPECT_EQ(a.lattice.dimension, b.lattice.dimension);
  EXPECT_EQ(a.mcs, b.mcs);
  EXPECT_TRUE(a.ids == b.ids);
  EXPECT_TRUE(a.act == b.act);
  EXPECT_EQ(a.cells.type, b.cells.type);
  EXPECT_EQ(a.cells.extent, b.cells.extent);
  EXPECT_EQ(a.cells.centroid, b.cells.centroid);
  expect_same_bits(a.cells.direction, b.cells.direction);
  expect_same_bits(a.cells.history, b.cells.history);
  EXPECT_EQ(a.cells.history_length, b.cells.history_length);
}

CheckpointInfo example_info() {
  CheckpointInfo info;
  info.seed = std::numeric_limits<uint64_t>::max() - 1;
  info.model = "title = \"Grüße\"\n" + std::string(200'000, '#') + "\nend = 1\n";
  info.schedule = "tiles";
  info.phase = 2;
  info.counts = {int64_t(1) << 61, 12, 5};
  info.extra["tracks/first.x"] = {1.5, -0.0, std::numeric_limits<double>::infinity(), 0x1p-1074};
  info.extra["empty"] = {};
  info.extra["."] = {3};
  return info;
}

std::string refusal(const std::filesystem::path& path) {
  try {
    read_checkpoint(path);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

class CheckpointOfKind : public ::testing::TestWithParam<ExampleKind> {};

TEST_P(CheckpointOfKind, BringsBackEveryMember) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const State state = example_state(GetParam());
  const CheckpointInfo info = example_info();
  write_checkpoint(folder / "checkpoint.h5", state, info);
  const Checkpoint read = read_checkpoint(folder / "checkpoint.h5");
  expect_same(read.state, state);
  EXPECT_EQ(read.info.seed, info.seed);
  EXPECT_EQ(read.info.model, info.model);
  EXPECT_EQ(read.info.schedule, info.schedule);
  EXPECT_EQ(read.info.phase, info.phase);
  EXPECT_EQ(read.info.counts.attempts, info.counts.attempts);
  EXPECT_EQ(read.info.counts.live, info.counts.live);
  EXPECT_EQ(read.info.counts.accepted, info.counts.accepted);
  EXPECT_EQ(read.info.extra, info.extra);
  EXPECT_EQ(read.version, KILN_VERSION);
  EXPECT_EQ(read.hash, state_hash(state));
}

// Sizes on both sides of a chunk's 64 and 512.
INSTANTIATE_TEST_SUITE_P(Kinds, CheckpointOfKind,
                         ::testing::Values(ExampleKind{{13, 9, 1}, 2, false, false},
                                           ExampleKind{{700, 5, 1}, 2, true, false},
                                           ExampleKind{{9, 8, 7}, 3, false, true},
                                           ExampleKind{{65, 3, 66}, 3, true, true}));

TEST(Checkpoint, BringsBackSubstances) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  State state = example_state({{12, 8, 1}, 2, false, false}, 4, 3);
  for (const int32_t coarsen : {2, 1}) {
    Substance& s = state.substances.emplace_back();
    s.name = coarsen == 2 ? "o2" : "a first one by its name";
    s.coarsen = coarsen;
    s.voxels = voxels_of(state.lattice, coarsen);
    s.voxels.periodic.x = coarsen == 1;
    for (Site v = 0; v < s.voxels.sites(); ++v) s.values.push_back(0.1 * double(v) / coarsen);
    s.show();
    s.first_total = 1.5;
    s.total = 0.1;
    s.budget = {1, 2, 3, -4, 0.3};
  }
  write_checkpoint(folder / "c.h5", state, example_info());
  const State read = read_checkpoint(folder / "c.h5").state;
  ASSERT_EQ(read.substances.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Substance &a = state.substances[i], &b = read.substances[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.coarsen, b.coarsen);
    EXPECT_EQ(a.voxels.size, b.voxels.size);
    EXPECT_EQ(a.voxels.periodic, b.voxels.periodic);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(a.shown, b.shown);
    EXPECT_EQ(a.first_total, b.first_total);
    EXPECT_EQ(a.total, b.total);
    EXPECT_TRUE(a.budget == b.budget);
  }
  EXPECT_EQ(state_hash(read), state_hash(state));
  state.substances[1].values[3] += 1e-12;
  EXPECT_NE(state_hash(read), state_hash(state));
}

TEST(Checkpoint, OfAStateWithNoCellIsRead) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const State state = example_state({{4, 4, 1}, 2, false, false}, 1);
  write_checkpoint(folder / "checkpoint.h5", state, {});
  expect_same(read_checkpoint(folder / "checkpoint.h5").state, state);
}

TEST(Checkpoint, ReplacesAnEarlierOneAndLeavesNothingElse) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const ExampleKind kind{{6, 5, 4}, 3, true, true};
  write_checkpoint(folder / "checkpoint.h5", example_state(kind, 5, 100), {});
  write_checkpoint(folder / "checkpoint.h5", example_state(kind, 5, 200), {});
  EXPECT_EQ(read_checkpoint(folder / "checkpoint.h5").state.mcs, 200);
  const std::filesystem::directory_iterator files(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(Checkpoint, InAFolderThatDoesNotExistFails) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  EXPECT_THROW(write_checkpoint(folder / "none/checkpoint.h5", example_state({{4, 4, 1}, 2}), {}), Failure);
}

TEST(Checkpoint, CutOffAnywhereIsRefused) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  write_checkpoint(folder / "whole.h5", example_state({{9, 8, 7}, 3, true, true}), {});
  const auto whole = std::filesystem::file_size(folder / "whole.h5");
  for (std::size_t length = whole - 1; length > whole / 90; length -= whole / 90) {
    std::filesystem::resize_file(folder / "whole.h5", length);
    EXPECT_NE(refusal(folder / "whole.h5").find("whole.h5 is damaged"), std::string::npos) << length;
  }
  std::filesystem::resize_file(folder / "whole.h5", 10);
  EXPECT_NE(refusal(folder / "whole.h5").find("is not a checkpoint"), std::string::npos);
}

TEST(Checkpoint, WithFlippedBitsIsRefused) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const auto path = folder / "c.h5";
  write_checkpoint(path, example_state({{9, 8, 7}, 3, true, true}), {});
  const std::string whole = bytes_of(path);
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto put = [&](std::size_t at, char byte) { file.seekp(std::streamoff(at)).put(byte).flush(); };
  for (uint64_t i = 0; i < 1000; ++i) {
    Digits digits{draw(5, Stream::pictures, i, 0).ab()};
    const std::size_t at = digits.take(uint32_t(whole.size()));
    const std::size_t other = digits.take(uint32_t(whole.size()));
    put(at, char(whole[at] ^ char(1u << digits.take(8))));
    if (i % 2 == 1 && other != at) put(other, char(whole[other] ^ char(1u << digits.take(8))));
    EXPECT_NE(refusal(path).find("c.h5 is "), std::string::npos) << "flip " << i << " at " << at;
    put(at, whole[at]);
    put(other, whole[other]);
  }
  EXPECT_EQ(refusal(path), "");
}

TEST(Checkpoint, SaysWhatIsWrongWithAFile) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const std::string path = (folder / "c.h5").string();
  EXPECT_EQ(refusal(path), "cannot read " + path + ": No such file or directory.");
  set_bytes(path, "id,t,x\n1,0,3\n");
  EXPECT_EQ(refusal(path), path + " is not a checkpoint of Kiln.");
  write_checkpoint(path, example_state({{4, 4, 1}, 2}), {});
  std::string bytes = bytes_of(path);
  bytes.replace(0, 17, "Kiln checkpoint 2");
  set_bytes(path, bytes);
  EXPECT_EQ(refusal(path), path + " is a checkpoint of another version of Kiln: this one reads format 1.");
}

// What a later mistake in writing would look like: sealed, and yet not what it says.
TEST(Checkpoint, WithAnotherHashOrAMissingDatasetIsRefused) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  const ScratchFolder folder;
  const std::string path = (folder / "c.h5").string();
  const State state = example_state({{4, 4, 1}, 2});
  write_checkpoint(path, state, {});
  std::string bytes = bytes_of(path);
  const std::string hash = state_hash(state);
  ASSERT_NE(bytes.find(hash), std::string::npos);
  bytes.replace(bytes.find(hash), hash.size(), "0123456789abcdef");
  set_bytes(path, bytes);
  hdf5::seal(path, {"checkpoint", 1});
  EXPECT_EQ(refusal(path), path + " is damaged: its state has the hash " + hash +
                               ", not 0123456789abcdef as recorded in it.");

  {
    hdf5::File file(path, hdf5::File::Mode::create, hdf5::kSealBytes);
    file.root().set("size", std::vector<int64_t>{4, 4, 1});
    file.root().set("periodic", std::vector<int64_t>{0, 0, 0});
    for (const char* name : {"dimension", "mcs", "history_length"}) file.root().set(name, int64_t(2));
    file.close();
  }
  hdf5::seal(path, {"checkpoint", 1});
  EXPECT_EQ(refusal(path), "cannot read " + path + ": dataset ids is missing.");
  {
    hdf5::File file(path, hdf5::File::Mode::append);
    const std::vector<uint32_t> ids(12);
    file.root().write("ids", ids.data(), {1, 4, 3});
    file.close();
  }
  hdf5::seal(path, {"checkpoint", 1});
  EXPECT_EQ(refusal(path),
            "cannot read " + path + ": dataset ids has the shape (1, 4, 3) where (1, 4, 4) was expected.");
}

TEST(Checkpoint, WithoutHdf5SaysWhatToInstall) {
  if (kHasHdf5) GTEST_SKIP() << "this build has HDF5";
  try {
    write_checkpoint("checkpoint.h5", State(), {});
    FAIL() << "nothing was thrown";
  } catch (const Failure& e) {
    EXPECT_STREQ(e.what(), "this build of Kiln has no HDF5 support; install libhdf5-dev and rebuild.");
  }
}

}  // namespace
}  // namespace kiln
