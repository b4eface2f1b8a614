// Steps that take only what an image keeps, and generated images.
#include <algorithm>

#include "data/tiff/write_stack.hpp"
#include "model/explain.hpp"
#include "model/file/read.hpp"
#include "model/initial_file_fixture.hpp"

namespace kiln {
namespace {

using namespace test;

class InitialMask : public InitialFile {
 protected:
  // Bright where the row has a '9'.
  ImageMask mask_of(const Rows& rows) {
    Grid<uint8_t> scan({int32_t(rows[0].size()), int32_t(rows.size()), 1});
    for (int32_t y = 0; y < scan.size.y; ++y)
      for (int32_t x = 0; x < scan.size.x; ++x)
        scan.at(x, y, 0) = uint8_t(rows[std::size_t(y)][std::size_t(x)] - '0');
    write_stack(folder_ / "mask.npy", scan, {1, 1, 1});
    ImageMask mask;
    mask.file = "mask.npy";
    return mask;
  }

  Model model_with(const InitialStep& step, Vec3i size) const {
    Model model = model_of(size);
    model.folder = folder_.string();
    model.initial = {step};
    return model;
  }
};

const std::vector<std::string> kScan = {"009900", "009900", "999900", "000000"};

TEST_F(InitialMask, LimitsAStepBesidesItsRegion) {
  InitialStep step = step_of(Kind::fill);
  step.mask = mask_of(kScan);
  EXPECT_EQ(picture(initial_state(model_with(step, {6, 4, 1}))),
            (Rows{"..11..", "..11..", "1111..", "......"}));
  step.region = box_region({1, 1, 0}, {3, 4, 1});
  EXPECT_EQ(picture(initial_state(model_with(step, {6, 4, 1}))),
            (Rows{"......", "..1...", ".11...", "......"}));
  step.mask->segmentation.below = true;
  EXPECT_EQ(picture(initial_state(model_with(step, {6, 4, 1}))),
            (Rows{"......", ".1....", "......", ".11..."}));
}

TEST_F(InitialMask, CutsBoxesTubesAndImages) {
  InitialStep boxes = step_of(Kind::boxes);
  boxes.mask = mask_of(kScan);
  boxes.box = boxes.spacing = {3, 2, 1};
  EXPECT_EQ(picture(initial_state(model_with(boxes, {6, 4, 1}))),
            (Rows{"..12..", "..12..", "3334..", "......"}));
  InitialStep tube = step_of(Kind::tube);
  tube.mask = boxes.mask;
  tube.from = {0, 2, 0};
  tube.to = {5, 2, 0};
  tube.radius = 0.5;
  EXPECT_EQ(picture(initial_state(model_with(tube, {6, 4, 1}))),
            (Rows{"......", "......", "1111..", "......"}));
  InitialStep image = step_of(Kind::image);
  image.image = *boxes.mask;
  image.image.segmentation.below = true;
  image.mask = boxes.mask;
  image.mask->mirror = false;
  image.mask->segmentation.threshold = -1;  // all of it, but nothing beyond
  EXPECT_EQ(picture(initial_state(model_with(image, {8, 5, 1}))),
            (Rows{"11..11..", "11..11..", "....11..", "111111..", "........"}));
}

TEST_F(InitialMask, SeedsStayInsideToAnExactNumber) {
  InitialStep seeds = step_of(Kind::seeds);
  seeds.mask = mask_of(kScan);
  seeds.count = 37;
  seeds.radius = 0;
  const State state = initial_state(model_with(seeds, {24, 16, 1}));  // 16 mirror images of 8 sites
  EXPECT_EQ(state.cells.count(), 38u);
  for (int32_t y = 0; y < 16; ++y)
    for (int32_t x = 0; x < 24; ++x) {
      const CellId id = state.ids[std::size_t(state.lattice.index({x, y, 0}))];
      ASSERT_LE(id, 37u);
      if (id != kMedium) {
        EXPECT_EQ(kScan[std::size_t(mirrored(y, 4))][std::size_t(mirrored(x, 6))], '9');
      }
    }
  seeds.count = 129;
  EXPECT_EQ(
      error_of(model_with(seeds, {24, 16, 1})),
      "test.toml: initial.0 (seeds) was to place 129 cells of radius 0, but there is room for only 128; "
      "ask for fewer, or make the radius smaller or the region larger.");
}

TEST_F(InitialMask, SharesCountOnlyWhatItKeeps) {
  Rows rows(40, std::string(40, '0'));
  for (std::size_t y = 0; y < 20; ++y) rows[y] = std::string(40, '9');
  InitialStep network = step_of(Kind::network, kWall);
  network.mask = mask_of(rows);
  network.fraction = 0.2;
  network.radius = 1;
  network.node_spacing = 8;
  const State state = initial_state(model_with(network, {40, 40, 1}));
  EXPECT_NEAR(double(sites_of(state, 1)), 0.2 * 800, 0.02 * 0.2 * 800 + 1);
  EXPECT_TRUE(std::all_of(state.ids.begin() + 800, state.ids.end(), [](CellId id) { return id == kMedium; }));
}

TEST_F(InitialMask, ThatLeavesNothingIsAMistake) {
  InitialStep step = step_of(Kind::fill);
  step.mask = mask_of(kScan);
  step.mask->segmentation.threshold = 9;
  EXPECT_EQ(error_of(model_with(step, {6, 4, 1})),
            "test.toml: initial.0 (fill) has the mask mask.npy, which leaves no free site: 0% of the image "
            "lies above the threshold 9.");
}

TEST_F(InitialMask, IsReadExplainedAndWrittenOut) {
  mask_of(kScan);
  const std::string text = R"(
pictures = []
[lattice]
size = [6, 4]
boundary = "closed"
[types.cell]
volume = { target = 1, lambda = 1 }
[[initial]]
kind = "seeds"
count = 5
radius = 0
mask = { file = "mask.npy", threshold = 4, keep = "below" }
)";
  const Model model = parse_model(text, "m.toml", folder_.string());
  EXPECT_EQ(initial_state(model).cells.count(), 6u);
  EXPECT_PRED_FORMAT2(testing::IsSubstring,
                      "  1. cell: 5 seeds of radius 0, only on what is below 4 in mask.npy\n",
                      explain(model));
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "mask = { file = \"" + (folder_ / "mask.npy").string() + "\"",
                      model.resolved);
  const Model again = parse_model(model.resolved, "m.toml", "/");
  EXPECT_EQ(again.resolved, model.resolved);
  EXPECT_EQ(state_hash(initial_state(again)), state_hash(initial_state(model)));
}

std::string phantom_model(const std::string& source, const std::string& more = "") {
  return "pictures = []\n[lattice]\nsize = [30, 24, 20]\nboundary = \"closed\"\n[types.stroma]\nfrozen = "
         "true\n"
         "[[initial]]\nkind = \"image\"\nsmooth_um = 0.7\nthreshold = 60\n" +
         source + "\n" + more;
}

// The stack that a model generates is the one that `kiln phantom` writes, and takes the same way.
TEST_F(InitialMask, APhantomIsAsGoodAsItsFile) {
  for (const PhantomKind& kind : kPhantoms) {
    PhantomSettings settings;
    settings.size_um = {20, 16, 12};
    settings.voxel_um = {1, 1, 2};
    settings.seed = 3;
    write_stack(folder_ / "stack.npy", phantom(kind, settings), settings.voxel_um);
    const Model from_file =
        parse_model(phantom_model("file = \"stack.npy\"\nvoxel_um = [1, 1, 2]"), "m.toml", folder_.string());
    const Model generated =
        parse_model(phantom_model("phantom = { kind = \"" + std::string(kind.name) +
                                  "\", size_um = [20, 16, 12], voxel_um = [1, 1, 2], seed = 3 }"),
                    "m.toml", "/");
    EXPECT_EQ(state_hash(initial_state(generated)), state_hash(initial_state(from_file))) << kind.name;
    EXPECT_EQ(parse_model(generated.resolved, "m.toml", "/").resolved, generated.resolved);
    EXPECT_PRED_FORMAT2(testing::IsSubstring, "what is above 60 in the phantom " + std::string(kind.name),
                        explain(generated));
  }
}

std::string message_of(const std::string& text) {
  try {
    initial_state(parse_model(text, "m.toml", "/"));
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no error)";
}

TEST_F(InitialMask, SourcesThatAreWrongGetASentence) {
  EXPECT_EQ(message_of(phantom_model("")),
            "m.toml:7: initial.0.file and initial.0.phantom are not given; exactly one of them must be.");
  EXPECT_EQ(message_of(phantom_model("file = \"a.tif\"\nphantom = { kind = \"reticulum\" }")),
            "m.toml:7: initial.0.file and initial.0.phantom are both given; exactly one of them must be.");
  EXPECT_EQ(message_of(phantom_model("phantom = { kind = \"spleen\" }")),
            "m.toml:11: initial.0.phantom.kind is \"spleen\", but must be one of \"sinusoids\", "
            "\"reticulum\".");
  EXPECT_EQ(
      message_of(phantom_model("phantom = { kind = \"reticulum\", size = 3 }")),
      "m.toml:11: unknown key initial.0.phantom.size; known here are kind, size_um, voxel_um, noise, seed.");
  EXPECT_EQ(
      message_of(phantom_model("mask = { threshold = 3 }\nphantom = { kind = \"reticulum\" }")),
      "m.toml:11: initial.0.mask.file and initial.0.mask.phantom are not given; exactly one of them must "
      "be.");
  EXPECT_EQ(message_of("[lattice]\nsize = [9, 9]\n[[initial]]\nkind = \"image\"\nphantom = { kind = "
                       "\"reticulum\" }"),
            "m.toml:5: initial.0.phantom cannot be: a phantom is a stack, but the lattice is 2-D.");
  const std::string huge =
      message_of(phantom_model("phantom = { kind = \"reticulum\", size_um = 1e5, voxel_um = 0.05 }"));
  EXPECT_PRED_FORMAT2(
      testing::IsSubstring,
      "the phantom reticulum of 100000 x 100000 x 100000 µm with voxels of 0.05 x 0.05 x 0.05 "
      "µm needs about ",
      huge);
}

}  // namespace
}  // namespace kiln
