#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "output/picture/lettering.hpp"
#include "output/picture/palette.hpp"
#include "output/picture/picture.hpp"
#include "picture_fixture.hpp"

namespace kiln {
namespace {

using ColourBy = PictureSettings::ColourBy;

// 1 and 2 are motile, 3 is frozen:
//   1 1 2 .
//   1 2 2 .
//   3 3 . .
Scene small_tissue() {
  Scene scene(2, {4, 3, 1});
  scene.add(1);
  scene.add(2);
  scene.add(3);
  const CellId ids[] = {1, 1, 2, 0, 1, 2, 2, 0, 3, 3, 0, 0};
  std::copy(std::begin(ids), std::end(ids), scene.state.ids.begin());
  return scene;
}

PictureSettings slice(int width, bool borders) {
  PictureSettings settings;
  settings.name = "test";
  settings.width = width;
  settings.borders = borders;
  return settings;
}

bool darker(Colour a, Colour b) { return a.red < b.red && a.green < b.green && a.blue < b.blue; }

TEST(SlicePicture, DrawsSitesAsSquaresWithRow0AtTheTop) {
  const Scene scene = small_tissue();
  const Image image = draw(slice(40, false), scene.model, scene.state);
  ASSERT_EQ(image.width, 40);
  ASSERT_EQ(image.height, 30);
  const Palette palette(ColourBy::type, scene.model, scene.state);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) {
      const CellId id = scene.state.ids[std::size_t(y / 10 * 4 + x / 10)];
      ASSERT_EQ(image.at(x, y), palette.colour(id, scene.state.cells.type[id])) << x << ", " << y;
    }
  EXPECT_EQ(image.at(5, 25), kGreen);
  EXPECT_EQ(image.at(35, 25), kWhite);
}

TEST(SlicePicture, DarkensBothSidesOfABorderAndNeverTheMedium) {
  const Scene scene = small_tissue();
  const Image plain = draw(slice(40, false), scene.model, scene.state);
  const Image image = draw(slice(40, true), scene.model, scene.state);
  const auto is_line = [&](int x, int y) { return darker(image.at(x, y), plain.at(x, y)); };
  EXPECT_TRUE(is_line(19, 5)) << "cell 1 beside cell 2";
  EXPECT_TRUE(is_line(20, 5)) << "cell 2 beside cell 1";
  EXPECT_TRUE(is_line(5, 19)) << "cell 1 above the frozen cell";
  EXPECT_TRUE(is_line(5, 20)) << "the frozen cell below cell 1";
  EXPECT_TRUE(is_line(29, 5)) << "cell 2 beside the medium";
  EXPECT_TRUE(is_line(9, 9)) << "cell 1, corner to corner with cell 2";
  EXPECT_FALSE(is_line(9, 5)) << "within cell 1";
  EXPECT_FALSE(is_line(25, 9)) << "within cell 2";
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x)
      if (scene.state.ids[std::size_t(y / 10 * 4 + x / 10)] == kMedium) {
        ASSERT_EQ(image.at(x, y), kWhite);
      }
  EXPECT_EQ(image.at(5, 5), plain.at(5, 5));
}

TEST(SlicePicture, DrawsOneLinePerBorderWhereSitesAreSmall) {
  const Scene scene = small_tissue();
  const Image plain = draw(slice(8, false), scene.model, scene.state);
  const Image image = draw(slice(8, true), scene.model, scene.state);
  ASSERT_EQ(image.width, 8);
  const auto is_line = [&](int x, int y) { return darker(image.at(x, y), plain.at(x, y)); };
  EXPECT_TRUE(is_line(3, 0)) << "the last column of cell 1";
  EXPECT_FALSE(is_line(4, 0)) << "the first column of cell 2";
  EXPECT_TRUE(is_line(5, 0)) << "cell 2 at the medium";
}

TEST(SlicePicture, CutsAThreeDimensionalLatticeAcrossAnyAxis) {
  Scene scene(3, {3, 4, 5});
  for (Site site = 0; site < 60; ++site) scene.state.ids[std::size_t(site)] = scene.add(1);
  const auto colour = [&](int x, int y, int z) {
    return cell_colour(scene.state.ids[std::size_t(scene.state.lattice.index({x, y, z}))]);
  };
  PictureSettings settings = slice(0, false);
  settings.colour_by = ColourBy::cell;
  for (int axis = 0; axis < 3; ++axis) {
    settings.axis = axis;
    settings.position = 1;
    const Vec3i size = scene.state.lattice.size;
    const int columns = axis == 0 ? size.y : size.x, rows = axis == 2 ? size.y : size.z;
    settings.width = 6 * columns;
    const Image image = draw(settings, scene.model, scene.state);
    ASSERT_EQ(image.width, 6 * columns);
    ASSERT_EQ(image.height, 6 * rows);
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        const Colour expected = axis == 0   ? colour(1, column, row)
                                : axis == 1 ? colour(column, 1, row)
                                            : colour(column, row, 1);
        EXPECT_EQ(image.at(6 * column + 3, 6 * row + 3), expected) << axis << ": " << column << ", " << row;
      }
  }
}

TEST(SlicePicture, CutsInTheMiddleUnlessToldOtherwise) {
  Scene scene(3, {4, 4, 7});
  const CellId cell = scene.add(3);
  scene.fill(cell, [](const Vec3d& p) { return p.z == 3; });
  EXPECT_EQ(draw(slice(4, false), scene.model, scene.state).at(2, 2), kGreen);
  PictureSettings elsewhere = slice(4, false);
  elsewhere.position = 2;
  EXPECT_EQ(draw(elsewhere, scene.model, scene.state).at(2, 2), kWhite);
}

TEST(SlicePicture, ColoursSitesByTheirAct) {
  Scene scene(2, {16, 1, 1});
  scene.fill(scene.add(1), [](const Vec3d&) { return true; });
  scene.state.act = HugeVector<ActValue>(16);
  for (int x = 0; x < 16; ++x) scene.state.act[std::size_t(x)] = ActValue(x);
  scene.model.phases[0].physics.types[1].act.max = 15;
  PictureSettings settings = slice(16, true);
  settings.colour_by = ColourBy::act;
  const Image image = draw(settings, scene.model, scene.state);
  for (int x = 0; x < 16; ++x) EXPECT_EQ(image.at(x, 0), act_colour(x / 15.0));
}

TEST(SlicePicture, ChoosesAWidthAndSamplesLargeLattices) {
  const auto width_of = [](int size, int width) {
    const Scene scene(2, {size, 5, 1});
    return draw(slice(width, true), scene.model, scene.state).width;
  };
  EXPECT_EQ(width_of(100, 0), 1000);
  EXPECT_EQ(width_of(300, 0), 900);
  EXPECT_EQ(width_of(1200, 0), 1200);
  EXPECT_EQ(width_of(2500, 0), 833);
  EXPECT_EQ(width_of(100, 90), 50);
  EXPECT_EQ(width_of(100, 350), 300);
}

TEST(SlicePicture, SamplesTheMiddleOfABlockOfSites) {
  Scene scene(2, {100, 100, 1});
  scene.fill(scene.add(3), [](const Vec3d& p) { return int(p.x) % 10 == 5 && int(p.y) % 10 == 5; });
  const Image image = draw(slice(10, true), scene.model, scene.state);
  EXPECT_EQ(image, Image(10, 10, kGreen));
}

TEST(SlicePicture, RefusesWhatLiesOutsideOfTheLattice) {
  const Scene scene(3, {4, 5, 6});
  PictureSettings settings = slice(0, true);
  settings.axis = 1;
  settings.position = 5;
  try {
    draw(settings, scene.model, scene.state);
    FAIL() << "a plane outside of the lattice was drawn";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(), "the picture 'test' is to cut y at 5, outside of the lattice: 0 to 4 is allowed.");
  }
  settings.position = 0;
  settings.width = -1;
  EXPECT_THROW(draw(settings, scene.model, scene.state), UserError);
}

// 1000 pixels of half a micrometre: a fifth of that is 100, so the bar is 100 micrometres or 200 pixels long.
TEST(Footer, HasABarOfTheRightLengthBelowThePicture) {
  Image image(1000, 50);
  for (std::size_t i = 0; i < image.rgb.size(); ++i) image.rgb[i] = uint8_t(i % 256);
  const Image result = with_footer(image, 0.5, 1234);
  ASSERT_EQ(result.width, 1000);
  ASSERT_GT(result.height, 50);
  EXPECT_TRUE(std::equal(image.rgb.begin(), image.rgb.end(), result.rgb.begin()));
  int longest = 0;
  for (int y = 50; y < result.height; ++y) {
    int run = 0;
    for (int x = 0; x < 1000; ++x) {
      run = result.at(x, y).red < 160 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  EXPECT_NEAR(longest, 200, 6);
}

TEST(Footer, IsLeftOutOfSmallPictures) { EXPECT_EQ(with_footer(Image(100, 100), 1, 0), Image(100, 100)); }

TEST(Footer, WordsTakeTheRoomTheySay) {
  for (const char* text : {"0123456789", "20 µm", "1.5 mm", "340 MCS"}) {
    Image image(400, 60);
    draw_text(image, 20, 10, 24, text);
    int first = 400, last = -1;
    for (int y = 0; y < 60; ++y)
      for (int x = 0; x < 400; ++x)
        if (image.at(x, y).red < 200) {
          first = std::min(first, x);
          last = std::max(last, x);
        }
    EXPECT_NEAR(first, 20, 3) << text;
    EXPECT_NEAR(last, 20 + text_width(24, text), 9) << text;
  }
}

}  // namespace
}  // namespace kiln
