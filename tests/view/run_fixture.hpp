// Small runs to watch, each test's in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>

#include "base/json.hpp"
#include "base/text.hpp"
#include "data/hdf5/file.hpp"
#include "model/file/read.hpp"
#include "view/live_run.hpp"

namespace kiln::view {

namespace fs = std::filesystem;

inline constexpr const char* kModel = R"(mcs = 80
temperature = 10
[lattice]
size = [40, 36]
[types.a]
volume = {target = 40, lambda = 2}
act = {lambda = 20, max = 8}
[types.b]
volume = {target = 40, lambda = 2}
[adhesion]
a.b = 6
[[initial]]
kind = "boxes"
types = {a = 1, b = 1}
box = [6, 6]
spacing = [8, 9]
[measure]
every = 4
[output]
lattice_every = 20
)";

// Long enough to be steered, with few files.
inline const std::vector<std::string> kLong = {"mcs=1500", "output.lattice_every=0", "measure.every=100"};

inline std::shared_ptr<const Model> small_model(const std::vector<std::string>& set = {}) {
  return std::make_shared<const Model>(parse_model(kModel, "m.toml", "", set));
}

class ViewRun : public testing::Test {
 protected:
  void SetUp() override {
    if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
    folder_ = fs::temp_directory_path() / ("kiln-view-" + std::to_string(getpid()) + "-" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<kiln::Run> run_in(const std::string& name, Controller* controller = nullptr,
                                    const std::vector<std::string>& set = {}, const WallTimes& times = {},
                                    IfExists if_exists = IfExists::refuse) const {
    RunSettings settings;
    settings.engine.engine = "threads";
    settings.out = folder_ / name;
    settings.controller = controller;
    settings.times = times;
    settings.if_exists = if_exists;
    return std::make_unique<kiln::Run>(small_model(set), settings, kiln::Run::Clock::now());
  }
  std::string hash_of(kiln::Run& run) const {
    EXPECT_EQ(run.go(nullptr), Ending::finished);
    return run.record().hash;
  }

  fs::path folder_;
};

inline int64_t mcs_of(const NumberedFrame& frame) {
  uint32_t length = 0;
  std::memcpy(&length, frame.bytes->data() + 4, 4);
  return *whole_in(*json_member(frame.bytes->substr(8, length), "mcs"));
}

}  // namespace kiln::view
