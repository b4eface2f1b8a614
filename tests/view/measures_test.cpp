// A table that grows while it is read.
#include "view/measures.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>

namespace kiln::view {
namespace {

namespace fs = std::filesystem;

class ViewMeasures : public testing::Test {
 protected:
  void SetUp() override {
    file_ = fs::temp_directory_path() / ("kiln-measures-" + std::to_string(getpid()) + "-" +
                                         testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove(file_);
  }
  void TearDown() override { fs::remove(file_); }
  void add(const std::string& text) const { std::ofstream(file_, std::ios::app | std::ios::binary) << text; }

  fs::path file_;
};

TEST_F(ViewMeasures, GrowByWholeRows) {
  MeasuresFile file(file_);
  EXPECT_EQ(file.read(), nullptr);
  add("mcs,en");
  EXPECT_EQ(file.read(), nullptr);
  add("ergy,\"a, b\"\n");
  Measures seen = file.read();
  ASSERT_NE(seen, nullptr);
  ASSERT_EQ(seen->size(), 3u);
  EXPECT_EQ((*seen)[1].name, "energy");
  EXPECT_EQ((*seen)[2].name, "a, b");
  EXPECT_TRUE((*seen)[0].values.empty());
  EXPECT_EQ(file.read(), seen) << "another table where nothing is new";
  for (const std::string& text : {std::string("0,-2"), std::string(".5,1\n10"), std::string(",")}) {
    add(text);
    seen = file.read();
    ASSERT_EQ((*seen)[0].values.size(), text.ends_with('1') || text.ends_with("10") || text == "," ? 1u : 0u);
  }
  EXPECT_EQ((*seen)[1].values, (std::vector<double>{-2.5}));
  const Measures before = seen;
  add(",x\n20,7,8\n");
  seen = file.read();
  EXPECT_EQ((*seen)[0].values, (std::vector<double>{0, 10, 20}));
  EXPECT_TRUE(std::isnan((*seen)[1].values[1]) && std::isnan((*seen)[2].values[1]));
  EXPECT_EQ((*before)[0].values.size(), 1u) << "a table that is being drawn has changed";
}

TEST_F(ViewMeasures, OfARunThatGoesOnFromBeforeAreReadAgain) {
  MeasuresFile file(file_);
  add("mcs,energy\n0,1\n10,2\n20,3\n");
  EXPECT_EQ((*file.read())[0].values.size(), 3u);
  fs::resize_file(file_, 15);
  add("10,4\n");
  EXPECT_EQ((*file.read())[1].values, (std::vector<double>{1, 4}));
  fs::resize_file(file_, 0);
  EXPECT_EQ(file.read(), nullptr);
}

// Rows in quotes may hold ends of lines, where what is written so far may end.
TEST_F(ViewMeasures, RowsMayHaveSeveralLines) {
  MeasuresFile file(file_);
  add("mcs,phase,energy\n0,\"two\n");
  EXPECT_TRUE((*file.read())[0].values.empty());
  add("lines\",3\n");
  EXPECT_EQ((*file.read())[2].values, (std::vector<double>{3}));
}

}  // namespace
}  // namespace kiln::view
