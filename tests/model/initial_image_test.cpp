// Cells from the intensities of an image.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "model/initial_helpers.hpp"

namespace kiln {
namespace {

using namespace test;
using Kind = InitialStep::Kind;
using Rows = std::vector<std::string>;

class InitialImage : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("kiln_image_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Rows of digits, 0 to 9.
  Model model_with(Vec3i size, const Rows& rows) {
    const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (" +
                               std::to_string(rows.size()) + ", " + std::to_string(rows[0].size()) + "), }\n";
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += char(header.size());
    bytes += '\0';
    bytes += header;
    for (const std::string& row : rows)
      for (const char c : row) bytes += char(c - '0');
    std::ofstream(folder_ / "scan.npy", std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
    Model model = model_of(size);
    model.folder = folder_.string();
    InitialStep step = step_of(Kind::image);
    step.file = "scan.npy";
    model.initial = {step};
    return model;
  }

  std::filesystem::path folder_;
};

TEST_F(InitialImage, KeepsWhatIsAboveTheThresholdOrBelow) {
  Model model = model_with({4, 2, 1}, {"1289", "9100"});
  EXPECT_EQ(picture(initial_state(model)), (Rows{"..11", "1..."}));  // Otsu
  model.initial[0].segmentation.threshold = 1;
  EXPECT_EQ(picture(initial_state(model)), (Rows{".111", "1..."}));
  model.initial[0].segmentation.below = true;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1...", ".111"}));
}

TEST_F(InitialImage, MirrorsFillALargerLattice) {
  Model model = model_with({7, 3, 1}, {"900", "090"});
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1....11", ".1..1..", ".1..1.."}));
  model.initial[0].mirror = false;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1......", ".1.....", "......."}));
}

TEST_F(InitialImage, LargerImagesAreCutAndFinerOnesAveraged) {
  Model model = model_with({2, 1, 1}, {"900990", "900990"});
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1."}));
  model.initial[0].placement.voxel_um = Vec3d{0.5, 0.5, 1};  // means 4.5, 4.5, 4.5
  model.initial[0].segmentation.threshold = 4;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"11"}));
}

TEST_F(InitialImage, SpecksGoAndGapsClose) {
  Model model = model_with({7, 3, 1}, {"9000999", "0000909", "0000999"});
  model.initial[0].segmentation.specks_um3 = 2;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"....111", "....1.1", "....111"}));
  model.initial[0].segmentation.close_um = 1;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"....111", "....111", "....111"}));
  model.units.voxel_um = 2;  // a site is 4 µm²: nothing is a speck of 2
  model.initial[0].segmentation.close_um = 0;
  EXPECT_EQ(picture(initial_state(model)), (Rows{"1...111", "....1.1", "....111"}));
}

TEST_F(InitialImage, SaysWhatIsWrong) {
  Model model = model_with({2, 1, 1}, {"11"});
  const std::string file = (folder_ / "scan.npy").string();
  EXPECT_EQ(error_of(model),
            "test.toml: initial.0 (image) finds nothing to keep in scan.npy: 0% of the image lies above the "
            "threshold 1, none of it on free sites of the region.");
  model.initial[0].placement.crop_to = Vec3i{3, 1, 1};
  EXPECT_EQ(error_of(model), file +
                                 " is to be cropped from (0, 0, 0) to (3, 1, 1), but it has (2, 1, 1) voxels "
                                 "along (x, y, z); the part must lie inside and not be empty.");
}

}  // namespace
}  // namespace kiln
