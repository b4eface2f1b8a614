// Names of folders that runs are given.
#include "output/run/folder.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "file_examples.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

class RunFolders : public testing::Test {
 protected:
  void SetUp() override {
    before_ = fs::current_path();
    fs::current_path(scratch_.path());
  }
  void TearDown() override { fs::current_path(before_); }

  ScratchFolder scratch_;
  fs::path before_;
};

TEST_F(RunFolders, AClaimedNameIsTakenAtOnce) {
  EXPECT_EQ(claim_run_folder("a"), fs::path("runs/a"));
  EXPECT_EQ(claim_run_folder("a"), fs::path("runs/a-2"));
  EXPECT_EQ(claim_run_folder("b"), fs::path("runs/b"));
  fs::create_directories("runs/a-3");
  EXPECT_EQ(claim_run_folder("a"), fs::path("runs/a-4"));
}

TEST_F(RunFolders, NoTwoClaimsGetTheSame) {
  constexpr int kClaims = 64;
  std::vector<fs::path> got(kClaims);
  std::vector<std::thread> claims;
  for (int i = 0; i < kClaims; ++i)
    claims.emplace_back([&got, i] { got[std::size_t(i)] = claim_run_folder("a"); });
  for (std::thread& claim : claims) claim.join();
  std::sort(got.begin(), got.end());
  EXPECT_EQ(std::unique(got.begin(), got.end()), got.end());
}

}  // namespace
}  // namespace kiln
