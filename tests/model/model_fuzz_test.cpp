// Whatever happens to a model file, it is a model, or refused in a sentence.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "data/tiff/write_stack.hpp"
#include "model/explain.hpp"
#include "model/file/read.hpp"
#include "support/fuzz.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

// Every kind of step, region, field and picture that the shipped models leave out.
constexpr const char* kFlat = R"(
[lattice]
size = [24, 20]
boundary = ["periodic", "closed"]
[neighbourhood]
adhesion = 3
perimeter = "von-neumann"
[types.a]
volume = { target = 20, lambda = 2 }
chemotaxis = { lambda = 3, field = "f" }
connectivity = { penalty = 5 }
[types.b]
volume = { target = 20, lambda = 2 }
persistence = { lambda = 4, mu = 0.5, dt = 3 }
act = { lambda = 20, max = 8, start_full = true }
[types.wall]
frozen = true
[adhesion]
default = 3
a.b = -2.5
[fields.f]
shape = "radial"
centre = [3, 4]
[fields.g]
shape = "circular"
[fields.h]
shape = "uniform"
direction = [1, 2]
[[initial]]
kind = "tube"
type = "wall"
from = [2, 2]
to = [9, 12]
[[initial]]
kind = "labels"
file = "labels.npy"
label_types = { "1" = "a", "2" = "medium" }
type = "b"
[[initial]]
kind = "image"
type = "wall"
file = "scan.npy"
voxel_um = [2, 1]
crop_from = [1, 0]
crop_to = [5, 4]
smooth_um = 0.5
specks_um3 = 2
close_um = 1
[[initial]]
kind = "network"
type = "wall"
fraction = 0.05
radius = 1
node_spacing = 8
region = { shape = "ball", centre = [12, 10], radius = 9 }
[[initial]]
kind = "seeds"
types = { a = 1, b = 2 }
density = 0.2
radius = 0
mask = { file = "scan.npy", keep = "below", mirror = false, threshold = 100 }
[[initial]]
kind = "boxes"
type = "a"
box = [3, 4]
spacing = 5
region = { shape = "box", low = [1, 1], high = [20, 18], outside = true }
slivers = "give"
[measure]
halves = "y"
explored = true
[[pictures]]
colour = "act"
every = 3
)";

// Packings, in regions made of others.
constexpr const char* kPacked = R"(
[lattice]
size = [24, 20]
[types.a]
volume = { target = 20, lambda = 2 }
[[initial]]
kind = "voronoi"
region = { shape = "difference", of = [{ shape = "ball", radius = 8 }, { shape = "tube", from = [2, 9], to = [20, 9], radius = 2 }] }
relax = 2
slivers = "drop"
smallest_share = 0.2
[[initial]]
kind = "hexagonal"
volume = 9
region = { shape = "union", of = [{ shape = "box", high = [9, 9] }, { shape = "intersection", of = [{ shape = "ball", outside = true }, { shape = "box", low = [9, 9] }] }] }
)";

// Small enough to be made thousands of times.
std::vector<std::string> small(const Model& model) {
  std::vector<std::string> set{
      model.lattice.dimension == 2 ? "lattice.size=[32,24]" : "lattice.size=[20,16,12]",
      "pictures=[]"};  // kFlat has them
  for (std::size_t i = 0; i < model.initial.size(); ++i) {
    const std::string step = "initial." + std::to_string(i);
    if (model.initial[i].count) set.push_back(step + ".count=5");
    if (model.initial[i].count && model.initial[i].kind == InitialStep::Kind::seeds)
      set.push_back(step + ".radius=1");
    if (model.initial[i].region.shape == Region::Shape::ball)
      set.push_back(step + (model.initial[i].region.outside ? ".region={shape=\"ball\",outside=true}"
                                                            : ".region={shape=\"ball\"}"));
    if (model.initial[i].region.shape == Region::Shape::box)
      set.push_back(step + (model.lattice.dimension == 2
                                ? ".region={shape=\"box\",low=[2,2],high=[20,20]}"
                                : ".region={shape=\"box\",low=[2,2,2],high=[12,12,12]}"));
    if (!model.initial[i].region.of.empty())
      set.push_back(step + ".region={shape=\"difference\",of=[{shape=\"ball\"},{shape=\"ball\",radius=3}]}");
    if (model.initial[i].image.phantom) {
      set.push_back(step + ".phantom.size_um=12");
      set.push_back(step + ".phantom.voxel_um=1");
    }
  }
  return set;
}

class ModelFuzz : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("kiln_model_fuzz_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    Grid<uint8_t> image({24, 20, 1});
    for (std::size_t i = 0; i < image.values.size(); ++i) image.values[i] = uint8_t(i * i % 251);
    write_stack(folder_ / "scan.npy", image, {1, 1, 1});
    for (uint8_t& value : image.values) value = uint8_t(value % 4);
    write_stack(folder_ / "labels.npy", image, {1, 1, 1});
    sources_.push_back(kFlat);
    sources_.push_back(read(kFlat).resolved);
    sources_.push_back(kPacked);
    sources_.push_back(read(kPacked).resolved);
    for (const auto& entry : fs::recursive_directory_iterator(KILN_SOURCE_DIR "/models"))
      if (entry.path().extension() == ".toml") {
        const Model model = read_model(entry.path());
        sources_.push_back(read_model(entry.path(), small(model)).resolved);
      }
    std::sort(sources_.begin(), sources_.end());  // folders have no order
  }
  void TearDown() override { fs::remove_all(folder_); }

  Model read(const std::string& text) const { return parse_model(text, "fuzzed.toml", folder_.string()); }

  fs::path folder_;
  std::vector<std::string> sources_;
};

// What a mutation made large is read and explained, but not built.
bool is_small(const Model& model) {
  constexpr double kMostSites = 20'000, kMostBytes = 1 << 24;
  for (const InitialStep& step : model.initial)
    for (const ImageMask* image : {&step.image, step.mask ? &*step.mask : nullptr})
      if (image != nullptr && image->phantom) {
        const Vec3d& size = image->phantom->settings.size_um;
        const Vec3d& voxel = image->phantom->settings.voxel_um;
        if (size.x * size.y * size.z > kMostSites) return false;
        if (size.x * size.y * size.z / (voxel.x * voxel.y * voxel.z) > kMostSites) return false;
      }
  return double(model.lattice.sites()) <= kMostSites && expected_cells(model) <= kMostSites &&
         memory_need(model, kMostSites).total() <= kMostBytes;
}

TEST_F(ModelFuzz, ModelsAreReadAndBuiltOrRefusedInASentence) {
  const uint32_t count = fuzz::rounds(), first = fuzz::first_round();
  uint32_t built = 0, refused = 0;
  for (uint32_t round = first; round < first + count; ++round) {
    SCOPED_TRACE(round);
    const std::string text =
        fuzz::garbled(sources_[round % sources_.size()], sources_[round / 3 % sources_.size()], round);
    try {
      const Model model = read(text);
      ASSERT_FALSE(explain(model).empty());
      ASSERT_EQ(read(model.resolved).resolved, model.resolved);
      if (!is_small(model)) continue;
      const State state = initial_state(model);
      ASSERT_EQ(audit(state, model.perimeter_neighbours, model.frozen_types()), "");
      ++built;
    } catch (const UserError& e) {
      const std::string sentence = e.what();
      ASSERT_TRUE(sentence.ends_with(".") || sentence.ends_with("?")) << sentence;
      ++refused;
    }
  }
  EXPECT_GT(built, count / 20);
  EXPECT_GT(refused, count / 5);
}

TEST_F(ModelFuzz, BytesOfAModelMayBeAnything) {
  const uint32_t count = fuzz::rounds(), first = fuzz::first_round();
  uint32_t refused = 0;
  for (uint32_t round = first; round < first + count; ++round) {
    SCOPED_TRACE(round);
    try {
      explain(read(fuzz::damaged(sources_[round % sources_.size()], round)));
    } catch (const UserError& e) {
      ASSERT_STRNE(e.what(), "");
      ++refused;
    }
  }
  EXPECT_GT(refused, count / 2);
}

}  // namespace
}  // namespace kiln
