// A folder of its own for every test of a step that reads a file.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "model/initial_helpers.hpp"

namespace kiln::test {

class InitialFile : public testing::Test {
 protected:
  using Kind = InitialStep::Kind;
  using Rows = std::vector<std::string>;

  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("kiln_" + std::string(info->test_suite_name()) + "_" +
                                                     info->name() + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Model model_reading(const std::string& file, Vec3i size, Kind kind) const {
    Model model = model_of(size);
    model.folder = folder_.string();
    InitialStep step = step_of(kind);
    step.image.file = file;
    model.initial = {step};
    return model;
  }

  std::filesystem::path folder_;
};

}  // namespace kiln::test
