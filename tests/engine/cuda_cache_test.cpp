// Compiled kernels on disk.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "engine/cuda/driver/kernel_cache.hpp"
#include "support/nvrtc.hpp"

namespace kiln::cuda {
namespace {

namespace fs = std::filesystem;

const std::string kSource = "extern \"C\" __global__ void k(int* a) { a[threadIdx.x] *= 3; }";

// Sets an environment variable, or unsets it, for the length of a test.
class Variable {
 public:
  Variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* old = std::getenv(name)) before_ = old;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value)
      setenv(name_, value->c_str(), 1);
    else
      unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_text(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary).write(text.data(), std::streamsize(text.size()));
}

class KernelCache : public testing::Test {
 protected:
  // Makes a file look an hour old, so that a rewritten one can be told.
  fs::file_time_type aged() const {
    const auto time = fs::last_write_time(entry()) - std::chrono::hours(1);
    fs::last_write_time(entry(), time);
    return fs::last_write_time(entry());
  }
  fs::path entry() const { return folder_ / cache_key(kSource, "k.cu", 90, {}); }
  Compiled get() const { return compile_cached(kSource, "k.cu", 90); }
  // Damages the entry; it must be replaced by what was there.
  void expect_recovery(const std::string& damaged) const {
    const std::vector<char> good = get().cubin;
    write_text(entry(), damaged);
    EXPECT_EQ(get().cubin, good);
    EXPECT_EQ(text_of(entry()).substr(0, 14), "kiln-kernel 1 ");
    const auto time = aged();
    EXPECT_EQ(get().cubin, good);
    EXPECT_EQ(fs::last_write_time(entry()), time) << "the replaced entry was not used";
  }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("kiln_cache_" + std::to_string(::getpid()) + "/kernels");
  const Variable cache_{"KILN_CACHE", folder_.string()};
};

TEST_F(KernelCache, SecondCallReadsTheFile) {
  KILN_NEEDS_NVRTC();
  const Compiled first = get();
  EXPECT_EQ(first.cubin, compile(kSource, "k.cu", 90).cubin);
  ASSERT_TRUE(fs::exists(entry()));
  const auto time = aged();
  const Compiled second = get();
  EXPECT_EQ(second.cubin, first.cubin);
  EXPECT_EQ(second.log, first.log);
  EXPECT_EQ(fs::last_write_time(entry()), time);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // nothing temporary is left
}

TEST_F(KernelCache, RecoversFromATruncatedEntry) {
  KILN_NEEDS_NVRTC();
  get();
  const std::string whole = text_of(entry());
  expect_recovery(whole.substr(0, whole.size() - 1));
  expect_recovery(whole.substr(0, 20));
  expect_recovery("");
}

TEST_F(KernelCache, RecoversFromADamagedEntry) {
  KILN_NEEDS_NVRTC();
  get();
  std::string damaged = text_of(entry());
  damaged[damaged.size() / 2] ^= 1;
  expect_recovery(damaged);
  expect_recovery("kiln-kernel 1 18446744073709551615 2 0\nabc");
  expect_recovery(text_of(entry()) + "x");
}

TEST_F(KernelCache, KeyFollowsEverythingThatShapesTheCode) {
  const std::string key = cache_key(kSource, "k.cu", 90, {"-DA=1"});
  EXPECT_EQ(key, cache_key(kSource, "k.cu", 90, {"-DA=1"}));
  EXPECT_NE(key, cache_key(kSource + " ", "k.cu", 90, {"-DA=1"}));
  EXPECT_NE(key, cache_key(kSource, "l.cu", 90, {"-DA=1"}));
  EXPECT_NE(key, cache_key(kSource, "k.cu", 89, {"-DA=1"}));
  EXPECT_NE(key, cache_key(kSource, "k.cu", 90, {"-DA=2"}));
  EXPECT_NE(key, cache_key(kSource, "k.cu", 90, {"-DA", "=1"}));
  EXPECT_EQ(key.size(), 32 + std::string(".kernel").size());
}

TEST_F(KernelCache, FolderThatCannotBeWrittenIsNoError) {
  KILN_NEEDS_NVRTC();
  fs::create_directories(folder_);
  write_text(folder_ / "file", "not a folder");
  const Variable cache("KILN_CACHE", (folder_ / "file" / "deeper").string());
  EXPECT_EQ(get().cubin, compile(kSource, "k.cu", 90).cubin);
}

class CacheTrim : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  // An entry of so many bytes that was used so many hours ago; entries are told apart by a letter.
  void entry(char letter, std::size_t bytes, int hours, const std::string& ending = ".kernel") const {
    write_text(folder_ / (std::string(32, letter) + ending), std::string(bytes, 'x'));
    const timespec times[2] = {{std::time(nullptr) - 3600 * hours, 0}, {0, UTIME_OMIT}};
    utimensat(AT_FDCWD, (folder_ / (std::string(32, letter) + ending)).c_str(), times, 0);
  }
  std::string left() const {
    std::string letters;
    for (const auto& file : fs::directory_iterator(folder_)) letters += file.path().filename().string()[0];
    std::sort(letters.begin(), letters.end());
    return letters;
  }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("kiln_trim_" + std::to_string(::getpid()));
};

TEST_F(CacheTrim, TheOnesNotUsedForLongestGoFirst) {
  entry('a', 400, 1);
  entry('b', 400, 5);
  entry('c', 400, 3);
  entry('d', 400, 2);
  trim_cache(folder_, 1600);
  EXPECT_EQ(left(), "abcd");
  trim_cache(folder_, 1599);  // to at most 7/8 of it
  EXPECT_EQ(left(), "acd");
  trim_cache(folder_, 800);
  EXPECT_EQ(left(), "a");
  trim_cache(folder_, 0);
  EXPECT_EQ(left(), "");
}

TEST_F(CacheTrim, OnlyFilesOfTheCacheCountAndGo) {
  entry('a', 400, 1);
  entry('b', 400, 2, ".kernel.123.part");  // of a process that died
  write_text(folder_ / "notes.txt", std::string(5000, 'x'));
  write_text(folder_ / "z.kernel", std::string(5000, 'x'));
  trim_cache(folder_, 800);
  EXPECT_EQ(left(), "abnz");
  trim_cache(folder_, 700);
  EXPECT_EQ(left(), "anz");
  EXPECT_NO_THROW(trim_cache(folder_ / "none", 0));
}

TEST_F(KernelCache, AReadEntryCountsAsUsed) {
  KILN_NEEDS_NVRTC();
  get();
  const timespec old[2] = {{1000, 0}, {0, UTIME_OMIT}};
  utimensat(AT_FDCWD, entry().c_str(), old, 0);
  get();
  struct stat facts {};
  ASSERT_EQ(::stat(entry().c_str(), &facts), 0);
  EXPECT_GT(facts.st_atim.tv_sec, 1000);
}

TEST_F(KernelCache, FolderFollowsTheEnvironment) {
  const Variable home("HOME", "/home/someone");
  {
    const Variable cache("KILN_CACHE", "/somewhere");
    EXPECT_EQ(cache_folder(), "/somewhere");
  }
  const Variable cache("KILN_CACHE", std::nullopt);
  {
    const Variable xdg("XDG_CACHE_HOME", "/xdg");
    EXPECT_EQ(cache_folder(), "/xdg/kiln");
  }
  {
    const Variable xdg("XDG_CACHE_HOME", "not/absolute");
    EXPECT_EQ(cache_folder(), "/home/someone/.cache/kiln");
  }
  const Variable xdg("XDG_CACHE_HOME", std::nullopt);
  EXPECT_EQ(cache_folder(), "/home/someone/.cache/kiln");
  const Variable homeless("HOME", std::nullopt);
  EXPECT_EQ(cache_folder(), "");
}

}  // namespace
}  // namespace kiln::cuda
