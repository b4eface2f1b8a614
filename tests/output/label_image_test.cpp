// Labels as OME-TIFF, as tifffile, our own reader and a model see them.
#include "output/state/label_image.hpp"

#include "base/error.hpp"
#include "data/image/image.hpp"
#include "file_examples.hpp"
#include "model/file/read.hpp"
#include "support/image_files.hpp"

namespace kiln {
namespace {

struct LabelCase {
  ExampleKind kind;
  CellId cells;
  const char* element;
};

class LabelImages : public ::testing::TestWithParam<LabelCase> {
 protected:
  void SetUp() override {
    if (!kHasTiff) GTEST_SKIP() << "needs libtiff and pugixml";
    model_ = example_model(GetParam().kind);
    model_.title = "A \"tissue\" of <µm>";
    state_ = example_state(GetParam().kind, GetParam().cells, 4100);
    file_ = folder_ / "labels/labels.ome.tif";
    write_label_image(file_, state_, model_);
  }

  const ScratchFolder folder_;
  Model model_;
  State state_;
  std::filesystem::path file_;
};

TEST_P(LabelImages, AreWhatTifffileFinds) {
  const auto* ids = reinterpret_cast<const char*>(state_.ids.data());
  set_bytes(folder_ / "ids", {ids, state_.ids.size() * sizeof(CellId)});
  const Vec3i& size = state_.lattice.size;
  check_with_python("output/check_files.py",
                    {"labels", file_.string(), (folder_ / "ids").string(),
                     std::to_string(size.z) + "," + std::to_string(size.y) + "," + std::to_string(size.x),
                     GetParam().element, "2", "A \"tissue\" of <µm>, MCS 4100"},
                    "tifffile, h5py and numpy");
}

TEST_P(LabelImages, ComeBackThroughOurReader) {
  const ImageStack image = read_image(file_, {}, std::size_t(1) << 30);
  const Vec3i& size = state_.lattice.size;
  ASSERT_EQ(image.values.shape, (std::vector<int64_t>{size.z, size.y, size.x}));
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(image.voxel_um[axis], 2);
  for (std::size_t site = 0; site < state_.ids.size(); ++site)
    ASSERT_EQ(image.values.real(site), double(state_.ids[site])) << site;
}

// 700 x 500 sites take more than one strip per page.
INSTANTIATE_TEST_SUITE_P(Kinds, LabelImages,
                         ::testing::Values(LabelCase{{{13, 9, 1}, 2, false, false}, 7, "uint16"},
                                           LabelCase{{{70, 6, 66}, 3, true, true}, 65536, "uint16"},
                                           LabelCase{{{700, 500, 3}, 3, false, false}, 65537, "uint32"}));

TEST(LabelImage, StartsAnotherRun) {
  if (!kHasTiff) GTEST_SKIP() << "needs libtiff and pugixml";
  const ScratchFolder folder;
  const std::string rest = R"(
[lattice]
size = [30, 20, 10]
[units]
voxel_um = 0.5
[types.cell]
volume = { target = 60, lambda = 1 }
)";
  const Model model =
      parse_model(rest + "[[initial]]\nkind = \"seeds\"\ncount = 40\nradius = 2\n", "m.toml", "");
  const State first = initial_state(model);
  write_label_image(folder / "start.ome.tif", first, model);
  const Model again = parse_model(rest + "[[initial]]\nkind = \"labels\"\nfile = \"start.ome.tif\"\n",
                                  "m.toml", folder.path().string());
  const State second = initial_state(again);
  EXPECT_TRUE(second.ids == first.ids);
  EXPECT_EQ(second.cells.extent, first.cells.extent);
}

TEST(LabelImage, LeavesNothingWhereItCannotBeWritten) {
  const ScratchFolder folder;
  const ExampleKind kind{{13, 9, 1}, 2, false, false};
  set_bytes(folder / "labels", "a file where a folder should be");
  EXPECT_THROW(write_label_image(folder / "labels/1.ome.tif", example_state(kind), example_model(kind)),
               Failure);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace kiln
