#include "data/speed_table.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "base/error.hpp"

namespace kiln {
namespace {

class SpeedTable : public ::testing::Test {
 protected:
  ~SpeedTable() override { std::filesystem::remove(path_); }

  std::vector<SpeedBin> read(const std::string& text) const {
    std::ofstream(path_, std::ios::binary) << text;
    return read_speed_table(path_);
  }
  // Without the file's name in front.
  std::string refusal(const std::string& text) const {
    try {
      read(text);
    } catch (const UserError& error) {
      const std::string what = error.what();
      EXPECT_EQ(what.rfind(path_.string(), 0), 0u) << what;
      return what.substr(path_.string().size());
    }
    return "";
  }

  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("kiln_speeds_" + std::to_string(::getpid()) + ".csv");
};

TEST_F(SpeedTable, OfBins) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::vector<SpeedBin> expected = {{0, 2.5, 7}, {2.5, 5, 0}, {10, kInfinity, 1}};
  EXPECT_EQ(read("low,high,count\n0,2.5,7\n2.5,5,0\n10,,1\n"), expected);
  EXPECT_EQ(read("\xEF\xBB\xBF\"low\", high ,count\r\n0,2.5,7\r\n2.5,5,0\r\n\r\n10,inf,1"), expected);
}

TEST_F(SpeedTable, OfSpeedsInAnyOrder) {
  EXPECT_EQ(read("speed\n3.5\n0\n3.5\n"), (std::vector<SpeedBin>{{3.5, 3.5, 1}, {0, 0, 1}, {3.5, 3.5, 1}}));
}

TEST_F(SpeedTable, SaysWhatIsWrongAndWhere) {
  const struct {
    const char *text, *message;
  } cases[] = {
      {"", ":1: there is no header, but it must be \"low,high,count\" or \"speed\"."},
      {"1.5\n2.5\n", ":1: the columns are \"1.5\", but must be \"low,high,count\" or \"speed\"."},
      {"low,count\n1,2\n", ":1: the columns are \"low,count\", but must be \"low,high,count\" or \"speed\"."},
      {"low,high,count\n0,1,5\n1,2\n", ":3: there are 2 fields, but must be 3, as in the header."},
      {"speed\n1,2\n", ":2: there are 2 fields, but must be 1, as in the header."},
      {"speed\n1\n\nfast\n", ":4: speed is \"fast\", but must be a number of at least 0 (µm/min)."},
      {"speed\nnan\n", ":2: speed is \"nan\", but must be a number of at least 0 (µm/min)."},
      {"low,high,count\n-1,1,5\n", ":2: low is \"-1\", but must be a number of at least 0 (µm/min)."},
      {"low,high,count\n0,x,5\n", ":2: high is \"x\", but must be a number of at least 0 (µm/min)."},
      {"low,high,count\n2,2,5\n", ":2: high is 2, but must be above low, which is 2."},
      {"low,high,count\n0,1,0.5\n", ":2: count is \"0.5\", but must be a whole number between 0 and 1e+15."},
      {"low,high,count\n0,1,-3\n", ":2: count is \"-3\", but must be a whole number between 0 and 1e+15."},
      {"low,high,count\n0,2,1\n1,3,1\n",
       ":3: low is 1, but must not lie below 2, where the bin before ends."},
      {"low,high,count\n0,1,0\n",
       ":2: the table ends here without a single speed, but must hold at least one."},
      {"speed\n", ":1: the table ends here without a single speed, but must hold at least one."},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(refusal(text), message) << text;
}

TEST_F(SpeedTable, ThatIsMissingIsNamed) {
  try {
    read_speed_table("no/such.csv");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "cannot read no/such.csv: No such file or directory.");
  }
}

}  // namespace
}  // namespace kiln
