// Stacks in pieces: what is not needed is not read, and what is read gives the same as all at once.
#include "data/image/import.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/error.hpp"
#include "support/image_files.hpp"

namespace kiln {
namespace {

// A stack that is nowhere: its values are worked out when they are asked for.
class Imagined : public ImageSource {
 public:
  using Value = std::function<uint8_t(int64_t x, int64_t y, int64_t z)>;
  Imagined(std::array<int64_t, 3> zyx, Value value)
      : ImageSource({"imagined", zyx, Array::Element::uint8, {}}), value_(std::move(value)) {}

  std::set<int64_t> asked;
  int64_t most_planes = 0;  // at a time

 private:
  void append(int64_t first, int64_t end, std::size_t size, std::vector<unsigned char>& bytes) override {
    bytes.reserve(size);
    most_planes = std::max(most_planes, end - first);
    for (int64_t z = first; z < end; ++z) {
      asked.insert(z);
      for (int64_t y = 0; y < header().zyx[1]; ++y)
        for (int64_t x = 0; x < header().zyx[2]; ++x) bytes.push_back(value_(x, y, z));
    }
  }

  Value value_;
};

constexpr std::size_t kLittle = std::size_t(64) << 20;

TEST(ImportInPieces, ACropReadsItsOwnPlanesOfAStackLargerThanMemory) {
  Imagined stack({1000, 4000, 4000},
                 [](int64_t x, int64_t y, int64_t z) { return uint8_t(x + 3 * y + 7 * z); });  // 16 GB
  ImagePlacement placement;
  placement.crop_from = Vec3i{100, 200, 500};
  placement.crop_to = Vec3i{110, 220, 505};
  Segmentation segmentation;
  segmentation.threshold = 127;
  const ImportedMask mask = import_mask(stack, placement, segmentation, {1, 3, kLittle});
  EXPECT_EQ(stack.asked, (std::set<int64_t>{500, 501, 502, 503, 504}));
  ASSERT_EQ(mask.mask.size(), (Vec3i{10, 20, 5}));
  EXPECT_EQ(mask.facts.voxels, (Vec3i{4000, 4000, 1000}));
  for (int32_t z = 0; z < 5; ++z)
    for (int32_t y = 0; y < 20; ++y)
      for (int32_t x = 0; x < 10; ++x)
        ASSERT_EQ((mask.mask[{x, y, z}]), uint8_t(100 + x + 3 * (200 + y) + 7 * (500 + z)) > 127);
  const ImportedLabels labels = import_labels(stack, placement, {1, 3, kLittle});
  EXPECT_EQ(labels.labels.at(9, 19, 4), uint8_t(109 + 3 * 219 + 7 * 504));
  EXPECT_EQ(stack.asked.size(), 5u);
}

TEST(ImportInPieces, AFineStackShrinksSlabBySlab) {
  Imagined stack({4, 6000, 6000}, [](int64_t x, int64_t, int64_t z) {
    return uint8_t(x / 3000 * 80 + z * 20 + (x % 3 == 0 ? 30 : 0));  // 144 MB
  });
  ImagePlacement placement;
  placement.voxel_um = Vec3d{1, 1, 1};
  Segmentation segmentation;
  segmentation.threshold = 99;
  Volume seen;
  const ImportGrid grid{3, 3, std::size_t(100) << 20};
  const ImportedMask mask = import_mask(stack, placement, segmentation, grid, &seen);
  EXPECT_LT(stack.most_planes, 4);
  ASSERT_EQ(seen.size, (Vec3i{2000, 2000, 1}));
  EXPECT_NEAR(seen.at(0, 0, 0), 10 + 20, 1e-4);  // the mean of 3 planes
  EXPECT_NEAR(seen.at(1999, 7, 0), 90 + 20, 1e-4);
  EXPECT_EQ(mask.facts.share, 0.5);
  const ImportedLabels labels = import_labels(stack, placement, grid);
  EXPECT_EQ(labels.labels.at(0, 0, 0), 20);  // plane 1, in the middle of the first three, at x = 1
  EXPECT_EQ(labels.labels.at(1999, 0, 0), 100);
}

TEST(ImportInPieces, WhatDoesNotFitIsRefusedWithItsSize) {
  Imagined stack({1000, 4000, 4000}, [](int64_t, int64_t, int64_t) { return uint8_t(0); });
  try {
    import_mask(stack, {}, {}, {1, 3, kLittle});
    FAIL() << "16 GB were read";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "imagined covers 1.6e+10 sites of 1 µm, which take 2.13 GB to work on; there are 67.1 MB.");
  }
  EXPECT_TRUE(stack.asked.empty());
}

std::string refusal(ImageSource& stack, const ImagePlacement& placement, const Segmentation& segmentation,
                    const ImportGrid& grid) {
  try {
    import_mask(stack, placement, segmentation, grid);
  } catch (const UserError& e) {
    return e.what();
  }
  return "(no error)";
}

TEST(ImportInPieces, AbsurdSizesAreRefused) {
  Imagined stack({2, 3, 4}, [](int64_t x, int64_t, int64_t) { return uint8_t(x); });
  ImagePlacement placement;
  Segmentation segmentation;
  placement.voxel_um = Vec3d{1e6, 1e-6, 1e-6};  // a thread: long, but of hardly any volume
  EXPECT_EQ(refusal(stack, placement, segmentation, {1e-3, 3, std::size_t(1) << 40}),
            "imagined covers 4e+09 sites of 0.001 µm along x; at most 2147483646 are allowed (its voxels are "
            "1e+06 x "
            "1e-06 x 1e-06 µm wide and sites 0.001 µm; voxel_um of the image corrects the first).");
  placement.voxel_um = Vec3d{1, 1, 1};
  segmentation.smooth_um = 1e6;
  EXPECT_EQ(refusal(stack, placement, segmentation, {1, 3, kLittle}),
            "imagined is to be smoothed over 1e+06 µm, but it is only 4 µm long.");
  EXPECT_TRUE(stack.asked.empty());
  segmentation.smooth_um = 0;
  segmentation.specks_um3 = 1e18;
  placement.voxel_um = Vec3d{1e-6, 1e-6, 1e-6};
  EXPECT_EQ(import_mask(stack, placement, segmentation, {1e-6, 3, kLittle}).facts.share, 0.0);
  const ImportedLabels coarse = import_labels(stack, placement, {1e12, 3, kLittle});
  EXPECT_EQ(coarse.labels.values, std::vector<int64_t>{3});
}

using PlanesOfFiles = image_files::WithImages;

TEST_F(PlanesOfFiles, AreThoseOfTheWhole) {
  int files = 0;
  for (const char* name : {"strips.tif", "tiled_deflate_be.tif", "imagej.tif", "imagej_one_page.tif",
                           "ome_XYZCT.ome.tif", "slices", "one.h5", "axes3.npy", "axes5.npy"}) {
    SCOPED_TRACE(name);
    const auto source = open_image(image_files::path_of(name), {}, image_files::kPlenty);
    const ImageStack whole = image_files::read(name);
    const int64_t planes = source->header().zyx[0];
    ASSERT_GT(planes, 1);
    const std::size_t plane = whole.values.bytes.size() / std::size_t(planes);
    for (int64_t z = planes - 1; z >= 0; --z) {  // in any order
      const Array one = source->planes(z, z + 1, image_files::kPlenty);
      ASSERT_EQ(one.bytes.size(), plane);
      ASSERT_TRUE(std::equal(one.bytes.begin(), one.bytes.end(),
                             whole.values.bytes.begin() + std::ptrdiff_t(std::size_t(z) * plane)));
    }
    ++files;
  }
  EXPECT_EQ(files, 9);
}

}  // namespace
}  // namespace kiln
