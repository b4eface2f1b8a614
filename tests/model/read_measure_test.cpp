// The keys of [measure]: values, defaults and messages.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

class ReadMeasure : public ::testing::Test {
 protected:
  ReadMeasure() { fs::create_directories(folder_); }
  ~ReadMeasure() override { fs::remove_all(folder_); }

  // In a 2-D model of 64 x 64 sites.
  Model parsed(const std::string& text) const {
    return parse_model("lattice.size = [64, 64]\n" + text, "m.toml", folder_.string());
  }
  std::string message_of(const std::string& text) const {
    try {
      parsed(text);
    } catch (const UserError& error) {
      return error.what();
    }
    return "(no error)";
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  fs::path folder_ = fs::temp_directory_path() / ("kiln_read_measure_" + std::to_string(::getpid()));
};

TEST_F(ReadMeasure, SpeedsOver120SecondsUnlessNothingIsMeasured) {
  using Intervals = std::vector<int64_t>;
  EXPECT_EQ(parsed("").measure.speed_intervals_mcs, Intervals{120});
  EXPECT_EQ(parsed("").measure.arrest_below_um_per_min, 2);
  EXPECT_TRUE(parsed("").measure.reference_speeds.empty());
  EXPECT_EQ(parsed("measure.every = 0").measure.speed_intervals_mcs, Intervals());
  EXPECT_EQ(parsed("measure = { every = 0, speed_interval_s = 5 }").measure.speed_intervals_mcs,
            Intervals{5});
  EXPECT_EQ(parsed("measure.speed_interval_s = 0").measure.speed_intervals_mcs, Intervals());
}

TEST_F(ReadMeasure, SeveralIntervalsKeepTheirOrder) {
  const Model m = parsed("measure.speed_interval_s = [60, 30, 120]");
  EXPECT_EQ(m.measure.speed_intervals_mcs, (std::vector<int64_t>{60, 30, 120}));
  EXPECT_NE(m.resolved.find("speed_interval_s = [60, 30, 120]"), std::string::npos) << m.resolved;
  EXPECT_NE(parsed("").resolved.find("speed_interval_s = 120\n"), std::string::npos);
  EXPECT_EQ(parsed("measure.speed_interval_s = [60]").measure.speed_intervals_mcs, std::vector<int64_t>{60});
}

TEST_F(ReadMeasure, IntervalsAreRoundedToWholeMcs) {
  EXPECT_EQ(parsed("units.seconds_per_mcs = 7").measure.speed_intervals_mcs.at(0), 17);  // 17.14
  EXPECT_EQ(parsed("units.seconds_per_mcs = 0.5").measure.speed_intervals_mcs.at(0), 240);
  EXPECT_EQ(parsed("units.seconds_per_mcs = 1000").measure.speed_intervals_mcs.at(0), 1);
}

TEST_F(ReadMeasure, ReferenceSpeedsLieBesideTheModel) {
  const std::string absolute = file("ref.csv", "low,high,count\n0,5,3\n5,,1\n");
  const Model m = parsed("measure.reference_speeds = \"ref.csv\"");
  ASSERT_EQ(m.measure.reference_speeds.size(), 2u);
  EXPECT_EQ(m.measure.reference_speeds[0], (SpeedBin{0, 5, 3}));
  EXPECT_NE(m.resolved.find("reference_speeds = \"" + absolute + "\""), std::string::npos) << m.resolved;
  EXPECT_EQ(parse_model(m.resolved, "m.toml", "elsewhere").resolved, m.resolved);
}

TEST_F(ReadMeasure, DearMeasuresAreOffUnlessAskedFor) {
  const MeasureSettings off = parsed("").measure;
  EXPECT_FALSE(off.explored || off.halves || off.direction_correlation);
  EXPECT_EQ(off.explored_cells, 1000);
  EXPECT_TRUE(off.mixed_within_um.empty());
  EXPECT_EQ(off.correlation_distance_um, 50);
  EXPECT_EQ(off.correlation_cells, 10'000);
  const MeasureSettings on = parsed(R"(
[measure]
explored = true
explored_cells = 0
halves = "y"
mixed_within_um = [10, 12.5]
direction_correlation = true
correlation_distance_um = 12.5
correlation_cells = 3
)")
                                 .measure;
  EXPECT_TRUE(on.explored && on.direction_correlation);
  EXPECT_EQ(on.explored_cells, 0);
  EXPECT_EQ(on.halves, 1);
  EXPECT_EQ(on.mixed_within_um, (std::vector<double>{10, 12.5}));
  EXPECT_EQ(on.correlation_distance_um, 12.5);
  EXPECT_EQ(on.correlation_cells, 3);
}

TEST_F(ReadMeasure, MessagesNameFileLineAndWhatIsAllowed) {
  const std::string bad = file("bad.csv", "low,high,count\n0,1,many\n");
  const std::string columns = file("columns.csv", "v\n1\n");
  const std::pair<std::string, std::string> cases[] = {
      {"measure.reference_speeds = \"bad.csv\"",
       "m.toml:2: measure.reference_speeds cannot be used: " + bad +
           ":2: count is \"many\", but must be a whole number between 0 and 1e+15."},
      {"measure.reference_speeds = \"columns.csv\"",
       "m.toml:2: measure.reference_speeds cannot be used: " + columns +
           ":1: the columns are \"v\", but must be \"low,high,count\" or \"speed\"."},
      {"measure.reference_speeds = \"none.csv\"",
       "m.toml:2: measure.reference_speeds cannot be used: cannot read " + (folder_ / "none.csv").string() +
           ": No such file or directory."},
      {"measure.speed_interval_s = 0\nmeasure.reference_speeds = \"bad.csv\"",
       "m.toml:3: measure.reference_speeds needs speeds; give measure.speed_interval_s above 0."},
      {"measure.speed_interval_s = -1",
       "m.toml:2: measure.speed_interval_s is -1, but must lie between 0 and 1e+12 (s)."},
      {"measure.speed_interval_s = [60, -1]",
       "m.toml:2: measure.speed_interval_s is [60, -1], but every entry must lie between 0 and 1e+12 (s)."},
      {"measure.speed_interval_s = [60, 0]",
       "m.toml:2: measure.speed_interval_s is [60, 0], but every entry of a list must be above 0."},
      {"measure.speed_interval_s = [60, 60.4]",
       "m.toml:2: measure.speed_interval_s is [60, 60.4], in which 60 MCS stand twice."},
      {"measure.speed_interval_s = []",
       "m.toml:2: measure.speed_interval_s is [], but must be a number between 0 and 1e+12 (s), or a list of "
       "them."},
      {"measure.halves = \"x\"\nmeasure.mixed_within_um = 10",
       "m.toml:3: measure.mixed_within_um is 10, but must be a list of numbers between 1e-06 and 1e+12 "
       "(µm)."},
      {"measure.mixed_within_um = [10]",
       "m.toml:2: measure.mixed_within_um tells how halves mix; give measure.halves."},
      {"measure.arrest_below_um_per_min = \"slow\"",
       "m.toml:2: measure.arrest_below_um_per_min is \"slow\", but must be a number between 0 and 1e+09 "
       "(µm/min)."},
      {"measure.halves = \"z\"", "m.toml:2: measure.halves is \"z\", but must be \"x\" or \"y\" in 2-D."},
      {"measure.halves = \"w\"",
       "m.toml:2: measure.halves is \"w\", but must be one of \"none\", \"x\", \"y\", \"z\"."},
      {"measure.every = 0\nmeasure.halves = \"x\"",
       "m.toml:3: measure.halves stands in measures.csv; give measure.every above 0."},
      {"measure.every = 0\nmeasure.explored = true",
       "m.toml:3: measure.explored stands in measures.csv; give measure.every above 0."},
      {"measure.cells_every = 0\nmeasure.direction_correlation = true",
       "m.toml:3: measure.direction_correlation needs steps of cells; give measure.speed_interval_s and "
       "measure.cells_every above 0."},
      {"measure.correlation_distance_um = 0",
       "m.toml:2: measure.correlation_distance_um is 0, but must lie between 1e-06 and 1e+12 (µm)."},
      {"measure.speed_interval = 60",
       "m.toml:2: unknown key measure.speed_interval; did you mean speed_interval_s?"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(message_of(text), message) << text;
}

}  // namespace
}  // namespace kiln
