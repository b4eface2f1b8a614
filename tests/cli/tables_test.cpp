// docs/tables.md and the files: every column that a run or a sweep writes is explained there.
#include "output/table/columns.hpp"

#include <regex>

#include "cli_fixture.hpp"
#include "data/hdf5/file.hpp"
#include "support/python.hpp"

namespace kiln {
namespace {

class Tables : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    for (const char* size : {"[40, 40]", "[24, 20, 16]"})
      write(std::string(size).size() > 8 ? "solid.toml" : "flat.toml", std::string(R"(mcs = 40
pictures = []
lattice.size = )") + size + R"(
[types.light]
volume = {target = 30, lambda = 2}
act = {lambda = 20, max = 8}
[types.dark_2]
volume = {target = 30, lambda = 2}
persistence = {lambda = 4, dt = 3}
[types.wall]
frozen = true
[[initial]]
kind = "seeds"
types = {light = 1, dark_2 = 1}
count = 20
radius = 2
[measure]
every = 4
cells_every = 10
explored = true
halves = "x"
mixed_within_um = [5]
direction_correlation = true
speed_interval_s = [10, 4]
[output]
lattice_every = 20
)");
  }

  // A, B, TERM, NAME, KEY and N of a descriptor stand for anything that a model or a run calls so; um3 is um2
  // in 2-D.
  static bool stands_for(std::string_view described, const std::string& found) {
    std::string pattern;
    for (const char c : described)
      pattern += std::string_view(".@/").find(c) < 3 ? std::string{'\\', c} : std::string{c};
    pattern = std::regex_replace(pattern, std::regex("(^|_)(A|B|TERM)(?=_|$)"), "$1.+");
    pattern = std::regex_replace(pattern, std::regex("mcs_N"), "mcs_\\d{8}");
    pattern = std::regex_replace(pattern, std::regex("(extra|substances)\\\\/N(?!A)"), "$1\\/\\d+");
    pattern = std::regex_replace(pattern, std::regex("/NAME"), "/[^/@]+");
    pattern = std::regex_replace(pattern, std::regex("um3"), "um[23]");
    return described == "KEY" ? found.find('.') != std::string::npos || found == "temperature"
                              : std::regex_match(found, std::regex(pattern));
  }
  static const ColumnInfo* described(const TableInfo& table, const std::string& name) {
    for (const ColumnInfo& column : table.columns)
      if (stands_for(column.name, name)) return &column;
    for (const auto& [file, group] : table.included)
      if (name.starts_with(group))
        if (const ColumnInfo* found = described(table_named(file), name.substr(group.size()))) return found;
    return nullptr;
  }
  // How many of its columns are described. None may be missing.
  int expect_described(const fs::path& file, const std::string& as) const {
    std::istringstream header(read(file).substr(0, read(file).find('\n')));
    int columns = 0;
    for (std::string name; std::getline(header, name, ','); ++columns)
      EXPECT_NE(described(table_named(as), name), nullptr)
          << "describe " << name << " of " << file << " in src/output/table/columns.cpp";
    return columns;
  }
  int expect_members_described(const fs::path& file, const std::string& as) const {
    const Result listed =
        shell("/usr/bin/python3 '" KILN_SOURCE_DIR "/tests/output/check_files.py' members '" +
              (folder_ / file).string() + "'");
    if (python_is_missing(listed.exit_code) && may_skip()) return -1;
    EXPECT_EQ(listed.exit_code, 0) << listed.out;
    std::istringstream lines(listed.out);
    int members = 0;
    for (std::string line; std::getline(lines, line); ++members) {
      const std::string name = line.substr(0, line.find('|'));
      const ColumnInfo* column = described(table_named(as), name);
      EXPECT_NE(column, nullptr) << "describe " << name << " of " << file
                                 << " in src/output/table/columns.cpp";
      if (column == nullptr || line.find('|') == std::string::npos) continue;
      const std::string unit = line.substr(line.find('|') + 1);
      const std::string expected = std::regex_replace(std::string(column->unit), std::regex("µ"), "u");
      EXPECT_TRUE(unit.empty() || unit == expected) << name << " has the unit " << unit;
    }
    return members;
  }
};

TEST_F(Tables, ThePageIsWrittenFromTheDescriptors) {
  std::ifstream page(KILN_SOURCE_DIR "/docs/tables.md");
  std::ostringstream text;
  text << page.rdbuf();
  EXPECT_EQ(text.str(), tables_reference()) << "kiln info --tables > docs/tables.md";
  EXPECT_EQ(kiln("info --tables").out, tables_reference());
}

TEST_F(Tables, EveryDescriptorSaysSomething) {
  for (const TableInfo& table : all_tables()) {
    EXPECT_FALSE(table.about.empty()) << table.file;
    std::vector<std::string> names = names_of(table.columns);
    for (const ColumnInfo& column : table.columns) EXPECT_GE(column.meaning.size(), 4u) << column.name;
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end()) << table.file;
  }
}

TEST_F(Tables, EveryHeaderOfARunIsDescribed) {
  for (const std::string model : {"flat", "solid"}) {
    const Result r = kiln("run " + model + ".toml --out " + model);
    ASSERT_EQ(r.exit_code, 0) << r.out;
    const std::vector<std::pair<std::string, int>> least = {
        {"measures.csv", 38}, {"cells.csv", 10},    {"lags.csv", 4},
        {"speeds.csv", 5},    {"motility.csv", 11}, {"direction_correlation.csv", 9}};
    for (const auto& [file, columns] : least)
      EXPECT_GE(expect_described(fs::path(model) / file, file), columns) << file;
    int tables = 0;
    for (const auto& entry : fs::directory_iterator(folder_ / model))
      tables += entry.path().extension() == ".csv";
    EXPECT_EQ(tables, int(least.size()));
    // The report explains the tables beside it.
    EXPECT_NE(read(fs::path(model) / "report.html").find("<code>order_index</code>"), std::string::npos);
  }
}

TEST_F(Tables, EveryHeaderOfASweepIsDescribed) {
  const Result r =
      kiln("sweep flat.toml --vary temperature=5,10 --vary types.light.act.lambda=0,20 --mcs 8 --out s");
  ASSERT_EQ(r.exit_code, 0) << r.out;
  EXPECT_GE(expect_described("s/sweep.csv", "sweep.csv"), 45);
  EXPECT_GE(expect_described("s/measures.csv", "measures.csv of a sweep"), 35);
}

TEST_F(Tables, EveryDatasetAndAttributeIsDescribed) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  for (const std::string model : {"flat", "solid"}) {
    ASSERT_EQ(kiln("run " + model + ".toml --set measure.cells_format=hdf5 --out " + model).exit_code, 0);
    const int lattice = expect_members_described(fs::path(model) / "lattice.h5", "lattice.h5");
    if (lattice < 0) GTEST_SKIP() << "needs /usr/bin/python3 with h5py, tifffile and numpy";
    EXPECT_EQ(lattice, 3 * 10 + 7);
    EXPECT_EQ(expect_members_described(fs::path(model) / "cells.h5", "cells.h5"), 10 + 3 + 5);
    EXPECT_GE(expect_members_described(fs::path(model) / "checkpoint.h5", "checkpoint.h5"), 25);
  }
}

// Of cells that live: what properties, growth, rules and substances add to the files.
TEST_F(Tables, EveryMemberOfALivingRunIsDescribed) {
  if (!kHasHdf5) GTEST_SKIP() << "no HDF5";
  write("living.toml", R"toml(mcs = 20
pictures = []
[lattice]
size = [40, 40]
[substances.food]
diffusion = 1
start = 1
[substances.waste]
diffusion = 1
[types.cell]
volume = { target = 30, lambda = 2 }
perimeter = { target = "start", lambda = 0.1 }
growth = { rate = 3600, up_to = 80 }
properties = { dye = 1, clock = 0 }
equations.clock = "1"
persistence = { lambda = 4, dt = 3 }
takes_up.food = 0.01
secretes.waste = 0.1
[adhesion]
default = 4
[[initial]]
kind = "seeds"
type = "cell"
count = 6
radius = 3
[[rules]]
types = "cell"
when = "volume >= 40"
do = "divide"
[[rules]]
types = "cell"
set = { dye = "dye + 1", "persistence.lambda" = "dye" }
[measure]
every = 4
cells_every = 10
cells_format = "hdf5"
[output]
lattice_every = 10
)toml");
  ASSERT_EQ(kiln("run living.toml --out r").exit_code, 0);
  const int lattice = expect_members_described("r/lattice.h5", "lattice.h5");
  if (lattice < 0) GTEST_SKIP() << "needs /usr/bin/python3 with h5py, tifffile and numpy";
  // By site 2, by id 6, of lives 2, properties 2, substances 2 x 3, mcs: three times; and of the file 7.
  EXPECT_EQ(lattice, 3 * 19 + 7);
  EXPECT_GE(expect_members_described("r/checkpoint.h5", "checkpoint.h5"), 25 + 3 + 8 + 2 * 11);
  // Every dataset of a checkpoint that says what lives is there to be described.
  const std::string members =
      shell("/usr/bin/python3 '" KILN_SOURCE_DIR "/tests/output/check_files.py' members r/checkpoint.h5").out;
  for (const char* member :
       {"substances/000001|", "lambda_persistence|", "property|", "parent|", "target_volume|"})
    EXPECT_NE(members.find(member), std::string::npos) << member << " is not in\n" << members;
  EXPECT_GE(expect_described("r/measures.csv", "measures.csv"), 40);
  EXPECT_NE(read("r/measures.csv").find("waste_total"), std::string::npos);
}

}  // namespace
}  // namespace kiln
