// Compiled kernels on disk.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
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
