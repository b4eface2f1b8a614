// The tissues that come with Kiln, from a generated stack to the report.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "support/shipped.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

class Tissue : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("kiln_tissue_" + GetParam() + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "run" / name).rdbuf();
    return text.str();
  }

  fs::path folder_;
};

TEST_P(Tissue, RunsFromTheStackToTheReport) {
  const fs::path model = test::models_folder() / GetParam();
  std::string command = "cd '" + folder_.string() + "' && " KILN_BINARY " run '" + model.string() +
                        "' --mcs 180 --engine threads --out run";
  for (const std::string& set : test::quick_look(model)) command += " --set '" + set + "'";
  ASSERT_EQ(std::system((command + " > log 2>&1").c_str()), 0) << std::ifstream(folder_ / "log").rdbuf();
  for (const char* file : {"measures.csv", "cells.csv", "motility.csv", "report.html", "model.toml"})
    EXPECT_GT(read(file).size(), 0u) << file;
  EXPECT_NE(read("report.html").find("</html>"), std::string::npos);
  EXPECT_NE(read("model.toml").find("phantom = { kind = "), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, Tissue, testing::Values("liver.toml", "lymph-node.toml"), test::test_name);

}  // namespace
}  // namespace kiln
