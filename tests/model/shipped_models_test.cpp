// The models and the reference page that come with Kiln.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "model/explain.hpp"
#include "model/file/read.hpp"
#include "model/file/reference.hpp"

namespace kiln {
namespace {

std::vector<std::filesystem::path> shipped_models() {
  std::vector<std::filesystem::path> result;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(KILN_SOURCE_DIR "/models"))
    if (entry.path().extension() == ".toml") result.push_back(entry.path());
  return result;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(ShippedModels, AreThere) {
  std::vector<std::string> names;
  for (const auto& file : shipped_models()) names.push_back(file.stem().string());
  for (const char* name :
       {"demo", "sorting", "chemotaxis", "act-cell", "collective", "dense", "lymph-node", "lymph-node-1mm"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST(ShippedModels, ResolveToModelsThatResolveToThemselves) {
  for (const auto& file : shipped_models()) {
    const Model model = read_model(file);
    const Model again = parse_model(model.resolved, model.source, model.folder);
    EXPECT_EQ(again.resolved, model.resolved) << file;
    EXPECT_EQ(again.total_mcs(), model.total_mcs()) << file;
    EXPECT_EQ(again.phases.back().physics.adhesion, model.phases.back().physics.adhesion) << file;
  }
}

// Nothing odd about them, on a machine with enough memory.
TEST(ShippedModels, HaveNoNotes) {
  constexpr double kMemoryOfACluster = 1e13;
  for (const auto& file : shipped_models())
    EXPECT_EQ(model_notes(read_model(file), kMemoryOfACluster), std::vector<std::string>{}) << file;
}

TEST(ShippedModels, HaveACommentThatNamesTheSource) {
  for (const auto& file : shipped_models()) {
    const std::string text = text_of(file);
    EXPECT_TRUE(text.starts_with("# ")) << file;
    EXPECT_TRUE(text.find("# Source: ") < 1000 || text.find("# Parameters: ") < 1000) << file;
  }
}

void expect_cells_of_the_paper(const TypePhysics& cell) {
  EXPECT_EQ(cell.volume.target, 150);
  EXPECT_EQ(cell.volume.lambda, 25);
  EXPECT_EQ(cell.perimeter.target, 1500);
  EXPECT_EQ(cell.perimeter.lambda, 0.2f);
  EXPECT_EQ(cell.act.lambda, 2600);
  EXPECT_EQ(cell.act.max, 10);
}

// Cells and frozen geometry, each of which is one cell.
TEST(ShippedModels, LymphNodesAreThoseOfThePaper) {
  const std::pair<const char*, std::pair<int32_t, int64_t>> nodes[] = {
      {"lymph-node", {256, 50'135}}, {"large/lymph-node-1mm", {1024, 3'359'752}}};
  for (const auto& [name, what] : nodes) {
    SCOPED_TRACE(name);
    const Model m = read_model(std::string(KILN_SOURCE_DIR "/models/") + name + ".toml");
    EXPECT_EQ(m.lattice.size, (Vec3i{what.first, what.first, what.first}));
    EXPECT_EQ(expected_cells(m), double(what.second + 2));
    const double diameter = 2 * m.initial[0].region.radius;
    EXPECT_EQ(diameter, what.first - 5);
    EXPECT_NEAR(double(what.second) / (diameter * diameter * diameter), 0.00317, 1e-5);
    for (const int type : {3, 4}) expect_cells_of_the_paper(m.phases.back().physics.types[std::size_t(type)]);
    EXPECT_EQ(m.phases.front().physics.types[3].act.lambda, 0);
  }
}

TEST(ShippedModels, LiversAreThoseOfThePaper) {
  for (const char* name : {"liver", "large/liver"}) {
    SCOPED_TRACE(name);
    const Model m = read_model(std::string(KILN_SOURCE_DIR "/models/") + name + ".toml");
    EXPECT_EQ(m.lattice.size.z, 182);
    expect_cells_of_the_paper(m.phases.back().physics.types[2]);
    EXPECT_TRUE(m.types[1].frozen);
    EXPECT_TRUE(m.initial[0].image.segmentation.below);
  }
}

// At a size that a test can make: about a quarter is sinusoid, and that is where the cells are.
TEST(ShippedModels, LiverHasSinusoids) {
  const Model m =
      read_model(KILN_SOURCE_DIR "/models/liver.toml",
                 {"lattice.size=[96,96,64]", "initial.0.phantom.size_um=96", "initial.1.count=50"});
  const State state = initial_state(m);
  const auto tissue = double(std::count(state.ids.begin(), state.ids.end(), CellId(1)));
  EXPECT_NEAR(1 - tissue / double(m.lattice.sites()), 0.24, 0.04);
  EXPECT_EQ(state.cells.count(), 52u);
}

TEST(ShippedModels, LymphNodeHasStroma) {
  const Model m = read_model(KILN_SOURCE_DIR "/models/lymph-node.toml",
                             {"lattice.size=[80,80,80]", "initial.0.region.radius=37.5",
                              "initial.1.phantom.size_um=80", "initial.2.count=10", "initial.3.count=10",
                              "initial.2.region.high=[40,80,80]", "initial.3.region.low=[40,0,0]"});
  const State state = initial_state(m);
  const auto sites = [&](CellId id) { return double(std::count(state.ids.begin(), state.ids.end(), id)); };
  const double ball = double(m.lattice.sites()) - sites(1);
  EXPECT_GT(sites(2) / ball, 0.05);
  EXPECT_LT(sites(2) / ball, 0.08);
}

TEST(Resolved, KeepsEverySectionAndWritesDefaults) {
  const Model m = parse_model(R"(
lattice.size = [8, 9]
title = "A \"quoted\" name \\ \u00e9"
pictures = []
[types.a]
chemotaxis = { lambda = 1, field = "f" }
[fields.f]
shape = "radial"
[[initial]]
kind = "seeds"
count = 3
region = { shape = "ball", radius = 2 }
[[phases]]
mcs = 5
set.types.a.chemotaxis.lambda = 2
)",
                              "m.toml", "");
  const std::string expected = R"(title = "A \"quoted\" name \\ é"
seed = 1
temperature = 20
fidelity = "standard"
pictures = []

[lattice]
size = [8, 9]
boundary = ["periodic", "periodic"]

[units]
voxel_um = 1
seconds_per_mcs = 1

[neighbourhood]
adhesion = "moore"
perimeter = "moore"

[types.medium]
colour = "#faf7f2"

[types.a]
colour = "#e07a5f"
frozen = false
hidden = false
chemotaxis = { lambda = 1, field = "f" }

[adhesion]
default = 0
a.a = 0
a.medium = 0

[fields.f]
shape = "radial"
strength = 1
centre = [3.5, 4]

[[initial]]
kind = "seeds"
type = "a"
region = { shape = "ball", centre = [3.5, 4], radius = 2, outside = false }
count = 3
radius = 1

[[phases]]
name = "phase-1"
mcs = 5
measure = true
set = { "types.a.chemotaxis.lambda" = 2 }

[schedule]
checkerboard = { region = 4, per_thread = 8, switch_every = 1, order = "cycle", conflict = "atomic", draws = "target", barriers = "attempt", reseed = "run", replayed_mcs = 60 }

[measure]
every = 10
cells_every = 100
cells_format = "auto"
speed_interval_s = 120
arrest_below_um_per_min = 2
explored = false
explored_cells = 1000
halves = "none"
mixed_within_um = []
direction_correlation = false
correlation_distance_um = 50
correlation_cells = 10000

[output]
lattice_every = 0
lattice_format = "hdf5"
checkpoint_every = 0
)";
  EXPECT_EQ(m.resolved, expected);
  EXPECT_EQ(parse_model(m.resolved, "m.toml", "").resolved, expected);
}

TEST(Reference, PageIsUpToDate) {
  EXPECT_EQ(text_of(KILN_SOURCE_DIR "/docs/model-file.md"), model_reference())
      << "write model_reference() to docs/model-file.md";
}

// Read models have every default written out, so together they name nearly all keys that there are.
TEST(Reference, HasEveryKeyOfTheModelsThatComeWithKiln) {
  const std::string page = text_of(KILN_SOURCE_DIR "/docs/model-file.md");
  const std::regex names_of_users("(types|label_types|set|properties|equations|daughters|secretes|takes_up|holds) = .*");
  const std::regex key("(?:^|[{,] )(\\w+) = ");
  std::set<std::string> keys;
  for (const auto& file : shipped_models()) {
    std::istringstream lines(read_model(file).resolved);
    for (std::string line; std::getline(lines, line);)
      if (!std::regex_match(line, names_of_users))
        for (std::sregex_iterator k(line.begin(), line.end(), key), end; k != end; ++k)
          keys.insert((*k)[1].str());
  }
  EXPECT_GT(keys.size(), 80u);
  for (const std::string& name : keys) EXPECT_NE(page.find("`" + name + "`"), std::string::npos) << name;
}

// The example of the page.
TEST(Reference, ExampleIsAModel) {
  const std::string page = model_reference();
  const std::size_t begin = page.find("```toml\n") + 8;
  const Model m = parse_model(page.substr(begin, page.find("```", begin) - begin), "example.toml", "");
  EXPECT_EQ(m.types[1].name, "tcell");
  EXPECT_EQ(m.initial[0].count, 12);
  EXPECT_TRUE(model_notes(m, 1e12).empty());
}

}  // namespace
}  // namespace kiln
