// Cells from the intensities of an image.
#include "data/tiff/write_stack.hpp"
#include "model/initial_file_fixture.hpp"

namespace kiln {
namespace {

using namespace test;

class InitialImage : public InitialFile {
 protected:
  // Rows of digits, 0 to 9.
  Model model_with(Vec3i size, const Rows& rows) {
    Grid<uint8_t> scan({int32_t(rows[0].size()), int32_t(rows.size()), 1});
    for (int32_t y = 0; y < scan.size.y; ++y)
      for (int32_t x = 0; x < scan.size.x; ++x)
        scan.at(x, y, 0) = uint8_t(rows[std::size_t(y)][std::size_t(x)] - '0');
    write_stack(folder_ / "scan.npy", scan, {1, 1, 1});
    return model_reading("scan.npy", size, Kind::image);
  }
};

TEST_F(InitialImage, KeepsWhatIsAboveTheThresholdOrBelow) {
  Model model = model_with({4, 2, 1}, {"1289", "9100"});
  EXPECT_EQ(picture(initial_state(model)), (Rows{"..11", "1..."}));  // Otsu
  model.initial[0].image.segmentation.threshold = 1;
  EXPECT_EQ(picture(initial_state(model)), (Rows{".111", "1..."}));
  model.initial[0].image.segmentation.below = true;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1...", ".111"}));
}

TEST_F(InitialImage, MirrorsFillALargerLattice) {
  Model model = model_with({7, 3, 1}, {"900", "090"});
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1....11", ".1..1..", ".1..1.."}));
  model.initial[0].image.mirror = false;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1......", ".1.....", "......."}));
}

TEST_F(InitialImage, LargerImagesAreCutAndFinerOnesAveraged) {
  Model model = model_with({2, 1, 1}, {"900990", "900990"});
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1."}));
  model.initial[0].image.placement.voxel_um = Vec3d{0.5, 0.5, 1};  // means 4.5, 4.5, 4.5
  model.initial[0].image.segmentation.threshold = 4;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"11"}));
}

TEST_F(InitialImage, SpecksGoAndGapsClose) {
  Model model = model_with({7, 3, 1}, {"9000999", "0000909", "0000999"});
  model.initial[0].image.segmentation.specks_um3 = 2;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"....111", "....1.1", "....111"}));
  model.initial[0].image.segmentation.close_um = 1;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"....111", "....111", "....111"}));
  model.units.voxel_um = 2;  // a site is 4 µm²: nothing is a speck of 2
  model.initial[0].image.segmentation.close_um = 0;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1...111", "....1.1", "....111"}));
}

TEST_F(InitialImage, SaysWhatIsWrong) {
  Model model = model_with({2, 1, 1}, {"11"});
  const std::string file = (folder_ / "scan.npy").string();
  EXPECT_EQ(error_of(model),
            "test.toml: initial.0 (image) finds nothing to keep in scan.npy: 0% of the image lies above the "
            "threshold 1, none of it on free sites of the region.");
  model.initial[0].image.placement.crop_to = Vec3i{3, 1, 1};
  EXPECT_EQ(error_of(model), file +
                                 " is to be cropped from (0, 0, 0) to (3, 1, 1), but it has (2, 1, 1) voxels "
                                 "along (x, y, z); the part must lie inside and not be empty.");
}

}  // namespace
}  // namespace kiln
