// The tissues that come with Kiln, from a generated stack to the report.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/csv.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "support/shipped.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

struct TissueCase {
  std::string model;
  double sites, least_free, most_free;  // share of the lattice that is not frozen
};

class Tissue : public testing::TestWithParam<TissueCase> {
 protected:
  using Row = std::map<std::string, double>;  // numbers only

  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) / ("kiln_tissue_" + GetParam().model + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string read(const char* name) const {
    std::ostringstream text;
    text << std::ifstream(folder_ / "run" / name).rdbuf();
    return text.str();
  }
  std::vector<Row> rows(const char* name) const {
    std::ifstream in(folder_ / "run" / name);
    CsvReader csv(in);
    csv.next();
    const std::vector<std::string> columns = csv.fields();
    std::vector<Row> result;
    while (csv.next()) {
      Row& row = result.emplace_back();
      for (std::size_t i = 0; i < columns.size() && i < csv.fields().size(); ++i)
        if (const auto number = number_in(csv.fields()[i])) row[columns[i]] = *number;
    }
    return result;
  }

  fs::path folder_;
};

TEST_P(Tissue, RunsFromTheStackToTheReport) {
  const fs::path model = test::models_folder() / GetParam().model;
  std::string command = "cd '" + folder_.string() + "' && " KILN_BINARY " run '" + model.string() +
                        "' --mcs 180 --engine threads --out run";
  for (const std::string& set : test::quick_look(model)) command += " --set '" + set + "'";
  ASSERT_EQ(std::system((command + " > log 2>&1").c_str()), 0) << std::ifstream(folder_ / "log").rdbuf();

  const std::vector<Row> measures = rows("measures.csv"), tracks = rows("cells.csv");
  ASSERT_FALSE(measures.empty());
  Row last = measures.back();
  const std::string record = read("run.json");
  EXPECT_EQ(last["mcs"], 180);
  EXPECT_EQ(json_member(record, "cells"), json_of(int64_t(last["cells"])));
  // What the stack leaves free is what its kind is made to have, and cells get to its walls.
  const double free = (last["medium_sites"] + last["cells"] * last["volume_mean"]) / GetParam().sites;
  EXPECT_GT(free, GetParam().least_free);
  EXPECT_LT(free, GetParam().most_free);
  EXPECT_GT(last["with_frozen"], 0);
  EXPECT_NEAR(last["volume_mean"], 150, 15);  // their target
  std::set<double> ids;
  for (const Row& row : tracks) ids.insert(row.at("id"));
  EXPECT_EQ(double(ids.size()), measures.front().at("cells"));
  ASSERT_EQ(rows("motility.csv").size(), 1u);
  EXPECT_GT(rows("motility.csv")[0]["speed_mean_um_per_min"], 3) << "they crawl";

  const std::string report = read("report.html"), hash = json_member(record, "hash").value_or("none");
  EXPECT_NE(report.find("<code>" + hash.substr(1, hash.size() - 2) + "</code>"), std::string::npos);
  EXPECT_NE(report.find("</html>"), std::string::npos);
  EXPECT_NE(read("model.toml").find("phantom = { kind = "), std::string::npos);
}

// Sinusoids take 24% of a liver; the ball of the node is 41% of its box, and strands take 6 to 8% of that.
INSTANTIATE_TEST_SUITE_P(All, Tissue,
                         testing::Values(TissueCase{"liver.toml", 64 * 64 * 48, 0.22, 0.26},
                                         TissueCase{"lymph-node.toml", 64 * 64 * 64, 0.37, 0.39}),
                         [](const auto& tested) {
                           return test::test_name({tested.param.model, tested.index});
                         });

}  // namespace
}  // namespace kiln
