// Images as other programs write them.
#include "data/image/image.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/png/image.hpp"
#include "support/image_files.hpp"

namespace kiln {
namespace {

using Element = Array::Element;
using image_files::expect_values;
using image_files::expect_voxel;
using image_files::read;
using image_files::WithImages;

using Hdf5Image = WithImages;
using ImageOfArray = WithImages;
using MagickImage = WithImages;
using SlicesImage = WithImages;
using TiffImage = WithImages;

class PngImage : public WithImages {
 protected:
  void SetUp() override {
    if (!can_read_png()) GTEST_SKIP() << "needs libpng";
    WithImages::SetUp();
  }
};

const std::pair<const char*, Element> kElements[] = {
    {"u1", Element::uint8},   {"i1", Element::int8},    {"u2", Element::uint16}, {"i2", Element::int16},
    {"u4", Element::uint32},  {"i4", Element::int32},   {"u8", Element::uint64}, {"i8", Element::int64},
    {"f4", Element::float32}, {"f8", Element::float64},
};

#ifndef KILN_HAS_TIFF
TEST(ImageWithoutTiff, SaysWhatToInstall) {
  const std::filesystem::path folder = testing::TempDir();
  try {
    read_image(folder, {}, image_files::kPlenty);
    FAIL() << "a folder was read";
  } catch (const Failure& e) {
    EXPECT_STREQ(
        e.what(),
        "this build of Kiln cannot read TIFF files; install libtiff-dev and libpugixml-dev and rebuild.");
  }
}
#endif

TEST_F(TiffImage, EveryTypeInBothByteOrders) {
  for (const auto& [code, element] : kElements)
    for (const char* order : {"type_", "big_"}) {
      SCOPED_TRACE(std::string(order) + code);
      const ImageStack image = read(std::string(order) + code + ".tif");
      expect_values(image, {3, 5, 7}, element);
      expect_voxel(image, {0, 0, 0});
    }
}

// Every value of a plane, by the formula of make_images.py before it is scaled to the type.
template <class Expected>
void expect_plane(const ImageStack& image, int64_t height, int64_t width, Element element,
                  const Expected& expected) {
  ASSERT_EQ(image.values.shape, (std::vector<int64_t>{1, height, width}));
  ASSERT_EQ(image.values.element, element);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x)
      ASSERT_EQ(image.values.integer(std::size_t(y * width + x)),
                expected(image_files::small_value({0, 0, 0, y, x})))
          << y << ' ' << x;
}

TEST_F(TiffImage, SingleBitsAreZeroAndOne) {
  const auto bit = [](int64_t v) { return v > 100 ? 1 : 0; };
  expect_plane(read("bits.tif"), 8, 16, Element::uint8, bit);
  expect_plane(read("bits_odd.tif"), 5, 19, Element::uint8, bit);
  expect_plane(read("bits_white.tif"), 5, 19, Element::uint8, [&](int64_t v) { return 1 - bit(v); });
}

TEST_F(PngImage, GreyValuesOfAllDepths) {
  for (const int depth : {1, 2, 4}) {
    SCOPED_TRACE(depth);
    expect_plane(read("grey_" + std::to_string(depth) + ".png"), 5, 19, Element::uint8,
                 [&](int64_t v) { return v % (1 << depth); });
  }
  expect_plane(read("grey_8.png"), 5, 7, Element::uint8, [](int64_t v) { return v; });
  expect_plane(read("grey_16.png"), 5, 7, Element::uint16, [](int64_t v) { return 257 * v; });
}

TEST_F(PngImage, APaletteGivesItsNumbers) {
  for (const char* name : {"palette.png", "palette_4.png"})
    expect_plane(read(name), 5, 7, Element::uint8, [](int64_t v) { return v % 16; });
}

TEST_F(PngImage, WhatCannotBeReadIsSaid) {
  const auto message = [](const std::string& name, const ImagePart& part = {}) {
    try {
      read(name, part);
    } catch (const UserError& e) {
      std::string text = e.what();
      const std::size_t at = text.find(image_files::path_of("").string());
      return at == std::string::npos ? text : text.erase(at, image_files::path_of("").string().size());
    }
    return std::string();
  };
  EXPECT_EQ(message("rgb.png"),
            "rgb.png is a picture in colours (RGB); allowed are grey values and palettes.");
  EXPECT_EQ(message("grey_8.png", {.channel = 1}), "grey_8.png has no channel 1; its only one is 0.");
  image_files::write(image_files::path_of("not.png"), "no picture");
  EXPECT_EQ(message("not.png"), "not.png is not a PNG file: it does not begin like one.");
  // Cut at every place, and every byte of it changed: read, or refused in a sentence.
  const std::string whole = image_files::bytes_of(image_files::path_of("palette_4.png"));
  for (std::size_t length = 8; length < whole.size() - 12; ++length) {
    image_files::write(image_files::path_of("cut.png"), whole.substr(0, length));
    EXPECT_NE(message("cut.png"), "") << length;
  }
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = char(changed[at] ^ 0x55);
    image_files::write(image_files::path_of("changed.png"), changed);
    const std::string text = message("changed.png");
    EXPECT_TRUE(text.empty() || text.ends_with(".")) << text;
  }
}
TEST_F(TiffImage, StripsTilesAndCompression) {
  for (const char* name : {"strips.tif", "bigtiff.tif", "bigtiff_be.tif", "deflate.tif", "tiled.tif",
                           "tiled_deflate_be.tif", "lzma.tif"}) {
    SCOPED_TRACE(name);
    expect_values(read(name), {3, 37, 45}, Element::uint16);
  }
}

TEST_F(TiffImage, WhiteAsZeroIsInverted) {
  using image_files::value_of;
  const std::pair<const char*, double> tops[] = {{"u1", 255}, {"i1", -1}, {"u2", 65535}};
  for (const auto& [code, top] : tops) {
    SCOPED_TRACE(code);
    const ImageStack image = read(std::string("white_") + code + ".tif");
    ASSERT_EQ(image.values.size(), 70u);
    for (int64_t i = 0; i < 70; ++i)
      ASSERT_EQ(image.values.real(std::size_t(i)),
                top - value_of(image.values.element, {0, 0, i / 35, i / 7 % 5, i % 7}));
  }
  expect_values(read("white_f4.tif"), {2, 5, 7}, Element::float32);  // floats do not say what white is
}

TEST_F(TiffImage, SamplesAreChannels) {
  for (const char* name : {"rgb.tif", "rgb_tiled.tif", "planar.tif", "planar_tiled.tif"})
    for (const int channel : {0, 1, 2}) {
      SCOPED_TRACE(name);
      expect_values(read(name, {.channel = channel}), {4, 37, 45}, Element::uint16, {0, channel, 0, 0, 0});
    }
}

TEST_F(TiffImage, OmeInEveryOrderOfItsAxes) {
  for (const char* order : {"XYZCT", "XYZTC", "XYCZT", "XYCTZ", "XYTCZ", "XYTZC"})
    for (const int channel : {0, 1})
      for (const int time : {0, 1}) {
        SCOPED_TRACE(order);
        const ImageStack image =
            read("ome_" + std::string(order) + ".ome.tif", {.channel = channel, .time = time});
        expect_values(image, {3, 6, 5}, Element::uint16, {time, channel, 0, 0, 0});
        expect_voxel(image, {0.25, 0.25, 2});
      }
}

TEST_F(TiffImage, OmeWithSamplesAndWithAMapOfPages) {
  for (const int channel : {0, 1, 2}) {
    const ImageStack image = read("rgb.ome.tif", {.channel = channel});
    expect_values(image, {2, 6, 5}, Element::uint8, {0, channel, 0, 0, 0});
    expect_voxel(image, {0.5, 0, 0});
  }
  for (const int channel : {0, 1}) {
    const ImageStack image = read("mapped.ome.tif", {.channel = channel});
    expect_values(image, {3, 6, 5}, Element::uint16, {0, channel, 0, 0, 0});
    expect_voxel(image, {0.0003, 2, 0});  // in angstroms, without a unit, in pixels
  }
}

TEST_F(TiffImage, ImagejHyperstacks) {
  for (const char* name : {"imagej.tif", "imagej_one_page.tif"})
    for (const int channel : {0, 1})
      for (const int time : {0, 1}) {
        SCOPED_TRACE(name);
        const ImageStack image = read(name, {.channel = channel, .time = time});
        expect_values(image, {3, 6, 5}, Element::uint16, {time, channel, 0, 0, 0});
        expect_voxel(image, {0.25, 0.5, 1.5});
      }
  const ImageStack image = read("imagej_nm.tif", {.time = 1});
  expect_values(image, {3, 6, 5}, Element::uint16, {1, 0, 0, 0, 0});
  expect_voxel(image, {0.00025, 0.0005, 0.3});
}

TEST_F(TiffImage, ImagejsProportionsCountWithoutAUnit) {
  const auto ratio = [](const char* name) {
    const auto source = open_image(image_files::path_of(name), {}, image_files::kPlenty);
    EXPECT_EQ(source->header().voxel_um, (Vec3d{0, 0, 0})) << name;
    return source->header().voxel_ratio;
  };
  EXPECT_EQ(ratio("imagej_no_unit.tif"), (Vec3d{1, 1, 4}));
  EXPECT_EQ(ratio("imagej_no_unit_fine.tif"), (Vec3d{0.25, 0.5, 4}));
}

TEST_F(TiffImage, TellsItsChannelsAndTimes) {
  struct Case {
    const char* name;
    int64_t channels, times;
    bool colours;
  };
  for (const Case& c :
       {Case{"imagej.tif", 2, 2, false}, Case{"ome_XYZCT.ome.tif", 2, 2, false}, Case{"rgb.tif", 3, 1, true},
        Case{"planar.tif", 3, 1, true}, Case{"strips.tif", 1, 1, false}, Case{"axes5.npy", 3, 2, false},
        Case{"slices", 1, 1, false}}) {
    const auto source = open_image(image_files::path_of(c.name), {}, image_files::kPlenty);
    EXPECT_EQ(source->header().channels, c.channels) << c.name;
    EXPECT_EQ(source->header().times, c.times) << c.name;
    EXPECT_EQ(source->header().colours, c.colours) << c.name;
  }
}

TEST_F(TiffImage, ReducedCopiesAreSkipped) { expect_values(read("pyramid.tif"), {3, 8, 10}, Element::uint8); }

TEST_F(TiffImage, ResolutionCountsWithARealUnit) {
  expect_values(read("single.tif"), {1, 37, 45}, Element::uint8);
  expect_voxel(read("single.tif"), {2.5, 5, 0});
  expect_voxel(read("inch.tif"), {1, 2, 0});
  expect_voxel(read("no_unit.tif"), {0, 0, 0});
}

TEST_F(SlicesImage, AreSortedByNumber) { expect_values(read("slices"), {12, 6, 5}, Element::uint16); }

TEST_F(MagickImage, EveryCompression) {
  if (!std::filesystem::exists("/usr/bin/convert")) {
    if (may_skip()) GTEST_SKIP() << "needs ImageMagick";
    FAIL() << "ImageMagick is missing";
  }
  for (const char* method : {"None", "LZW", "Zip", "RLE", "LZMA"}) {
    SCOPED_TRACE(method);
    const std::string start = std::string("magick_") + method;
    expect_values(read(start + "_16.tif"), {3, 37, 45}, Element::uint16);
    expect_values(read(start + "_8.tif"), {3, 37, 45}, Element::uint8);
  }
  expect_values(read("magick_tiled_be.tif"), {3, 37, 45}, Element::uint16);
  // JPEG rounds. A page of one colour comes out as it was, but for that.
  const double colour[] = {200, 100, 50};
  for (const int channel : {0, 1, 2}) {
    const ImageStack image = read("magick_jpeg.tif", {.channel = channel});
    ASSERT_EQ(image.values.shape, (std::vector<int64_t>{1, 37, 45}));
    for (std::size_t i = 0; i < image.values.size(); ++i)
      ASSERT_NEAR(image.values.real(i), colour[channel], 2) << channel;
  }
}

TEST_F(Hdf5Image, EveryTypeInBothByteOrders) {
  for (const char* file : {"little.h5", "big.h5"}) {
    for (const auto& [code, element] : kElements) {
      SCOPED_TRACE(std::string(file) + " " + code);
      expect_values(read(file, {.dataset = code}), {3, 5, 7}, element);
    }
    expect_values(read(file, {.dataset = "half"}), {3, 5, 7}, Element::float32);
    const ImageStack mask = read(file, {.dataset = "/mask"});
    ASSERT_EQ(mask.values.size(), 105u);
    for (int64_t i = 0; i < 105; ++i)
      ASSERT_EQ(mask.values.integer(std::size_t(i)),
                image_files::small_value({0, 0, i / 35, i / 7 % 5, i % 7}) > 100 ? 1 : 0);
  }
}

TEST_F(Hdf5Image, TheOnlyDatasetIsFoundWithItsVoxelSize) {
  for (const char* name : {"one.h5", "latest.hdf5"})
    for (const char* dataset : {"", "volume/inner/raw", "/volume/loop/inner/raw"}) {
      SCOPED_TRACE(name);
      const ImageStack image = read(name, {.dataset = dataset});
      expect_values(image, {4, 6, 5}, Element::uint16);
      expect_voxel(image, {0.25, 0.5, 2});
    }
}

TEST_F(Hdf5Image, EveryLayout) {
  for (const char* dataset : {"contiguous", "chunked", "gzip", "sum", "all"}) {
    SCOPED_TRACE(dataset);
    expect_values(read("filters.h5", {.dataset = dataset}), {5, 7, 9}, Element::uint16);
  }
  expect_values(read("filters.h5", {.dataset = "tiny"}), {5, 37, 45}, Element::uint16);
  for (const char* dataset : {"sparse", "sparse_gzip"}) {
    SCOPED_TRACE(dataset);
    const ImageStack image = read("filters.h5", {.dataset = dataset});
    ASSERT_EQ(image.values.size(), 315u);
    for (int64_t i = 0; i < 315; ++i) {
      const int64_t z = i / 63, y = i / 9 % 7, x = i % 9;
      const bool written = z >= 2 && z < 4 && y >= 3 && y < 6 && x >= 4 && x < 8;
      ASSERT_EQ(image.values.real(std::size_t(i)),
                written ? image_files::value_of(Element::uint16, {0, 0, z, y, x}) : 0.0);
    }
  }
}

TEST_F(Hdf5Image, TwoToFiveAxes) {
  expect_values(read("axes.h5", {.dataset = "axes2"}), {1, 6, 5}, Element::uint8);
  expect_values(read("axes.h5", {.dataset = "axes3"}), {2, 6, 5}, Element::uint8);
  for (const int channel : {0, 1, 2}) {
    expect_values(read("axes.h5", {.channel = channel, .dataset = "axes4"}), {2, 6, 5}, Element::uint8,
                  {0, channel, 0, 0, 0});
    for (const int time : {0, 1})
      expect_values(read("axes.h5", {.channel = channel, .time = time, .dataset = "axes5"}), {2, 6, 5},
                    Element::uint8, {time, channel, 0, 0, 0});
  }
}

TEST_F(ImageOfArray, TwoToFiveAxes) {
  expect_values(read("axes2.npy"), {1, 6, 5}, Element::int16);
  expect_values(read("axes3.npy"), {2, 6, 5}, Element::int16);
  for (const int channel : {0, 1, 2}) {
    expect_values(read("axes4.npy", {.channel = channel}), {2, 6, 5}, Element::int16, {0, channel, 0, 0, 0});
    for (const int time : {0, 1})
      expect_values(read("axes5.npy", {.channel = channel, .time = time}), {2, 6, 5}, Element::int16,
                    {time, channel, 0, 0, 0});
  }
}

}  // namespace
}  // namespace kiln
