// Generated stacks go through the same import as a microscope's.
#include "model/initial/phantom.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "data/image/import.hpp"
#include "data/tiff/write_stack.hpp"

namespace kiln {
namespace {

namespace fs = std::filesystem;

class Phantom : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / ("kiln_phantom_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_P(Phantom, IsFoundAgainByTheImport) {
  const PhantomKind& kind = kPhantoms[GetParam()];
  PhantomSettings settings;
  settings.size_um = {64, 64, 48};
  const Grid<uint8_t> stack = phantom(kind, settings);
  ASSERT_EQ(stack.size, (Vec3i{128, 128, 48}));
  const fs::path file = folder_ / "stack.npy";
  write_stack(file, stack, settings.voxel_um);
  ImagePlacement placement;
  placement.voxel_um = settings.voxel_um;
  Segmentation segmentation;
  segmentation.smooth_um = 0.7;
  // Thin strands are dimmed by the optics, so the cut lies below half of the signal.
  segmentation.threshold = settings.background + 0.35 * settings.signal;
  segmentation.specks_um3 = 20;
  const ImportGrid grid{1, 3, std::size_t(1) << 30};
  const auto imported = [&] {
    return import_mask(*open_image(file, placement.part, grid.most_bytes), placement, segmentation, grid);
  };
  const ImportedMask found = imported();
  ASSERT_EQ(found.mask.size(), (Vec3i{64, 64, 48}));
  EXPECT_GT(found.facts.share, 0.6 * kind.fraction);
  EXPECT_LT(found.facts.share, 1.5 * kind.fraction);
  // Without noise nearly the same sites are found.
  settings.noise = 0;
  write_stack(file, phantom(kind, settings), settings.voxel_um);
  const ImportedMask clean = imported();
  int64_t differ = 0;
  for (int32_t z = 0; z < 48; ++z)
    for (int32_t y = 0; y < 64; ++y)
      for (int32_t x = 0; x < 64; ++x) differ += clean.mask[{x, y, z}] != found.mask[{x, y, z}] ? 1 : 0;
  EXPECT_LT(double(differ), 0.01 * 64 * 64 * 48);
  EXPECT_GT(differ, 0);
}

TEST_P(Phantom, DependsOnItsSeedAlone) {
  PhantomSettings settings;
  settings.size_um = {24, 24, 16};
  const Grid<uint8_t> first = phantom(kPhantoms[GetParam()], settings);
  EXPECT_EQ(phantom(kPhantoms[GetParam()], settings).values, first.values);
  settings.seed = 2;
  EXPECT_NE(phantom(kPhantoms[GetParam()], settings).values, first.values);
}

INSTANTIATE_TEST_SUITE_P(All, Phantom, testing::Range(0, int(std::size(kPhantoms))),
                         [](const auto& which) { return std::string(kPhantoms[which.param].name); });

}  // namespace
}  // namespace kiln
