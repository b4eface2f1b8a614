#include "output/table/table.hpp"
#include "output/table/lineage_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "base/error.hpp"
#include "output/table/lineage_files.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

class Table : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kiln_table_test_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    path_ = folder_ / "a.csv";
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const fs::path& path, const std::string& text) const {
    std::ofstream(path, std::ios::binary) << text;
  }

  fs::path folder_, path_;
  const std::vector<std::string> columns_ = {"name", "mcs", "value"};
};

using Fields = std::initializer_list<TableValue>;

TEST_F(Table, GrowsUnderItsOwnName) {
  put(path_, "an older run\n");
  CsvTable table(path_, columns_);
  EXPECT_EQ(text_of(path_), "name,mcs,value\n");
  table.add(Fields{"a", int64_t(-7), 0.5});
  table.flush();
  EXPECT_EQ(text_of(path_), "name,mcs,value\na,-7,0.5\n");
  table.finish();
  EXPECT_EQ(text_of(path_), "name,mcs,value\na,-7,0.5\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
  EXPECT_EQ(table.rows(), 1);
  table.finish();
  EXPECT_THROW(table.add(Fields{"a", int64_t(1), 1.0}), std::logic_error);
}

TEST_F(Table, QuotesTextThatNeedsIt) {
  CsvTable table(path_, std::vector<std::string>{"a,b", "mcs", "say \"x\""});
  table.add(Fields{"plain text", int64_t(1), "with, comma"});
  table.add(Fields{"\"", int64_t(2), "two\nlines"});
  table.finish();
  EXPECT_EQ(text_of(path_),
            "\"a,b\",mcs,\"say \"\"x\"\"\"\nplain text,1,\"with, comma\"\n\"\"\"\",2,\"two\nlines\"\n");
}

TEST_F(Table, NumbersComeBackAsTheyWere) {
  CsvTable table(path_, std::vector<std::string>{"v"});
  const std::vector<double> values = {0.1, 1.0 / 3.0, 1e300, -2.5e-310, 3, 123456789012345680.0};
  for (const double value : values) table.add(Fields{value});
  table.finish();
  std::istringstream in(text_of(path_));
  std::string line;
  std::getline(in, line);
  for (const double value : values) {
    std::getline(in, line);
    EXPECT_EQ(std::strtod(line.c_str(), nullptr), value) << line;
  }
  EXPECT_NE(text_of(path_).find("v\n0.1\n0.3333333333333333\n"), std::string::npos);
}

TEST_F(Table, WhatHasNoMeaningIsEmpty) {
  CsvTable table(path_, columns_);
  table.add(Fields{"", std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()});
  table.finish();
  EXPECT_EQ(text_of(path_), "name,mcs,value\n,,\n");
}

TEST_F(Table, ManyRowsAreThoseAddedOneByOne) {
  constexpr int64_t kMany = 20'000;  // worth several threads
  CsvTable one_by_one(path_, columns_), at_once(folder_ / "b.csv", columns_);
  for (int64_t i = 0; i < kMany; ++i) one_by_one.add(Fields{"a,b", i, 1.0 / double(i)});
  at_once.add_rows(kMany, [](int64_t i, std::span<TableValue> row) {
    row[0] = std::string_view("a,b");
    row[1] = i;
    row[2] = 1.0 / double(i);
  });
  at_once.add_rows(0, [](int64_t, std::span<TableValue>) { FAIL(); });
  EXPECT_EQ(at_once.rows(), kMany);
  one_by_one.finish();
  at_once.finish();
  EXPECT_EQ(text_of(folder_ / "b.csv"), text_of(path_));
}

TEST_F(Table, RefusesRowsOfAnotherLength) {
  CsvTable table(path_, columns_);
  EXPECT_THROW(table.add(Fields{"a", int64_t(1)}), std::invalid_argument);
}

TEST_F(Table, ContinuesAFinishedTable) {
  put(path_, "name,mcs,value\n\"x, \"\"y\"\"\n\",10,1\nb,20,2\nc,30,3\n");
  CsvTable table = CsvTable::continue_from(path_, columns_, 20);
  EXPECT_EQ(table.rows(), 2);
  table.add(Fields{"d", int64_t(25), 4.0});
  table.finish();
  EXPECT_EQ(text_of(path_), "name,mcs,value\n\"x, \"\"y\"\"\n\",10,1\nb,20,2\nd,25,4\n");
}

TEST_F(Table, ContinuesWhatACrashLeftBehind) {
  put(path_, "name,mcs,value\nold,10,1\nnew,20,2\ncut,3");
  CsvTable table = CsvTable::continue_from(path_, columns_, 100);
  EXPECT_EQ(table.rows(), 2);
  table.finish();
  EXPECT_EQ(text_of(path_), "name,mcs,value\nold,10,1\nnew,20,2\n");
}

TEST_F(Table, AnUnfinishedTableIsReadUnderItsNameAndLeftForTheNextRun) {
  {
    CsvTable table(path_, columns_);
    table.add(Fields{"a", int64_t(1), 1.5});
    table.flush();
    EXPECT_EQ(text_of(path_), "name,mcs,value\na,1,1.5\n");
  }
  CsvTable::continue_from(path_, columns_, 1).finish();
  EXPECT_EQ(text_of(path_), "name,mcs,value\na,1,1.5\n");
}

TEST_F(Table, ContinuingNothingStartsAnew) {
  CsvTable::continue_from(path_, columns_, 5).finish();
  EXPECT_EQ(text_of(path_), "name,mcs,value\n");
}

template <class Error, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(Table, SaysWhyItCannotBeContinued) {
  const auto reason = [&](const std::string& text) {
    put(path_, text);
    return message_of<UserError>([&] { CsvTable::continue_from(path_, columns_, 5); });
  };
  EXPECT_EQ(
      reason("name,mcs\na,1\n"),
      path_.string() +
          " cannot be continued: its columns are \"name,mcs\", but this run writes \"name,mcs,value\".");
  const std::string row = " is not 3 fields with a whole number as mcs.";
  EXPECT_EQ(reason("name,mcs,value\na,1,1\nb,2\n"), path_.string() + " cannot be continued: row 3" + row);
  EXPECT_EQ(reason("name,mcs,value\na,1.5,1\n"), path_.string() + " cannot be continued: row 2" + row);
  EXPECT_EQ(text_of(path_), "name,mcs,value\na,1.5,1\n");
}

TEST_F(Table, SaysThatAFileCannotBeWritten) {
  const fs::path nowhere = folder_ / "missing" / "a.csv";
  EXPECT_EQ(message_of<Failure>([&] { CsvTable(nowhere, columns_); }),
            "cannot write " + nowhere.string() + ": No such file or directory");
}

Model two_types() {
  Model model;
  model.types.resize(3);
  model.types[0].name = "medium";
  model.types[1].name = "light";
  model.types[2].name = "wall";
  model.types[2].frozen = true;
  model.units = {2.0, 30.0};
  return model;
}

TEST_F(Table, MeasuresThatAreAskedForHaveColumns) {
  Model model = two_types();
  model.measure.explored = true;
  model.measure.halves = 0;
  model.measure.mixed_within_um = {10, 12.5};
  CsvTable table(path_, measures_columns(model));
  MeasureRow row;
  row.explored = ExploredRow{10, 80, 40, 36.5};
  row.mixed_fraction = 0.25;
  row.mixed_within = {0.5, kUndefined};
  row.contact_fractions.assign(3, kUndefined);
  add_measures(table, row);
  table.finish();
  const std::string text = text_of(path_);
  EXPECT_NE(
      text.find(
          ",straightness,medium_sites,energy,energy_adhesion,energy_volume,energy_perimeter,energy_length,"
          "explored_sites,explored_um3,explored_um3_per_cell,visited_um3_mean,"
          "mixed_fraction,mixed_within_10_um,mixed_within_12.5_um,contact_light_medium,"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(",10,80,40,36.5,0.25,0.5,,,,\n"), std::string::npos) << text;
  model.lattice.dimension = 2;
  const std::vector<std::string> flat = measures_columns(model);
  EXPECT_NE(std::find(flat.begin(), flat.end(), "explored_um2_per_cell"), flat.end());
}

TEST_F(Table, SeveralTypesHaveColumnsOfTheirOwn) {
  Model model = two_types();
  EXPECT_TRUE(types_apart(model.types).empty());
  model.types[2].frozen = false;
  CsvTable table(path_, measures_columns(model));
  MeasureRow row;
  row.of_types = {{3, {3, 150.5, 1.25}, 0.5}, {0, {}, kUndefined}};
  row.contact_fractions.assign(6, kUndefined);
  add_measures(table, row);
  table.finish();
  const std::string text = text_of(path_);
  EXPECT_NE(
      text.find(",energy_length,cells_light,volume_mean_light,volume_sd_light,speed_um_per_min_light,"
                "cells_wall,volume_mean_wall,volume_sd_wall,speed_um_per_min_wall,contact_light_medium,"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find(",0,3,150.5,1.25,0.5,0,,,,,"), std::string::npos) << text;
}

TEST_F(Table, MeasuresColumnsAndARow) {
  const Model model = two_types();
  CsvTable table(path_, measures_columns(model));
  MeasureRow row;
  row.mcs = 40;
  row.minutes = 20;
  row.phase = "run";
  row.cells = 3;
  row.extinct = 1;
  row.fragmented = 2;
  row.acceptance = {0.25, 0.5, 0.75};
  row.size = {{3, 150.5, 1.25}, {3, 1500, 20}};
  row.interface = {11, 12, 13, 14};
  row.motion = {3, 1.5, 2.5, 3.5, 0.5, -0.5, 0.125};
  row.medium_sites = 77;
  row.energy = {3, {2.5, 5, 0.25}};
  row.contact_fractions = {0.1, 0.2, 0.7};
  add_measures(table, row);
  MeasureRow undefined;
  undefined.contact_fractions.assign(3, kUndefined);
  add_measures(table, undefined);
  table.finish();
  EXPECT_EQ(
      text_of(path_),
      "mcs,t_min,phase,cells,extinct,fragmented,acceptance,live_fraction,volume_mean,volume_sd,perimeter_"
      "mean,"
      "perimeter_sd,homotypic,heterotypic,with_medium,with_frozen,displacement_um,speed_um_per_min,msd_um2,"
      "order_index,direction_autocorrelation,straightness,medium_sites,"
      "energy,energy_adhesion,energy_volume,energy_perimeter,energy_length,contact_light_medium,contact_"
      "light_"
      "light,"
      "contact_light_wall\n"
      "40,20,run,3,1,2,0.25,0.75,150.5,1.25,1500,20,11,12,13,14,1.5,3.5,2.5,0.5,-0.5,0.125,77,"
      "10.75,3,2.5,5,0.25,0.1,0.2,0.7\n"
      "0,0,,0,0,,,,,,,,0,0,0,0,,,,,,,0,0,0,0,0,0,,,\n");
}

TEST_F(Table, CellsAreInMicrometresAndSeconds) {
  const Model model = two_types();
  CsvTable table(path_, names_of(cells_columns()));
  const std::vector<CellRow> rows = {{1, 1, 150, 1480, {1.5, -2, 3.25}, 14}, {4, 1, 149, 1500, {0, 0, 0}, 0}};
  add_cells(table, 10, rows, model);
  table.finish();
  EXPECT_EQ(text_of(path_),
            "id,t,x,y,z,mcs,type,volume,perimeter,neighbours\n"
            "1,300,3,-4,6.5,10,light,150,1480,14\n"
            "4,300,0,0,0,10,light,149,1500,0\n");
}

TEST_F(Table, Lags) {
  const std::vector<Lag> lags = {{60, 4.5, 0.75, 12}, {120, 9, kUndefined, 6}};
  write_table(path_, lag_rows(lags));
  EXPECT_EQ(text_of(path_), "lag_s,msd_um2,direction_autocorrelation,pairs\n60,4.5,0.75,12\n120,9,,6\n");
}

// 1 divides at 10 into 3 and 4; 3 divides at 25 into 5 and 6; 2 dies at 12; 4 vanishes at 30.
Cells family() {
  Cells cells;
  cells.life.resize(1);
  cells.add(0);
  const Cells::Life lives[] = {{.ended = 10, .end = Cells::End::divided},
                               {.ended = 12, .end = Cells::End::died},
                               {.parent = 1, .born = 10, .ended = 25, .end = Cells::End::divided},
                               {.parent = 1, .born = 10, .ended = 30, .end = Cells::End::vanished},
                               {.parent = 3, .born = 25},
                               {.parent = 3, .born = 25}};
  cells.life.resize(cells.count());
  for (const Cells::Life& life : lives) cells.life[cells.add(1)] = life;
  return cells;
}

TEST(LineageFiles, AreNewickTrees) {
  EXPECT_EQ(newick_trees(family(), 40), "((5:15,6:15)3:15,4:20)1:10;\n2:12;\n");
}

// Cell 3 lives between two frames: its daughters' mother is the one before.
TEST(LineageFiles, AreTracksOfTheChallenge) {
  const int64_t often[] = {0, 10, 20, 30, 40}, rarely[] = {0, 40};
  EXPECT_EQ(challenge_tracks(family(), often), "1 0 0 0\n2 0 1 0\n3 1 2 1\n4 1 2 1\n5 3 4 3\n6 3 4 3\n");
  EXPECT_EQ(challenge_tracks(family(), rarely), "1 0 0 0\n2 0 0 0\n5 1 1 1\n6 1 1 1\n");
}

}  // namespace
}  // namespace kiln
