#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "output/picture/caption.hpp"
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
        const int up = rows - 1 - row;  // z points up, y down
        const Colour expected = axis == 0   ? colour(1, column, up)
                                : axis == 1 ? colour(column, 1, up)
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
  EXPECT_EQ(width_of(100, 0), 600);
  EXPECT_EQ(width_of(300, 0), 600);
  EXPECT_EQ(width_of(1200, 0), 1200);
  EXPECT_EQ(width_of(2500, 0), 833);
}

// 700 of 150 sites was 600 once: sites are four or five pixels wide then.
TEST(SlicePicture, IsAsWideAsItIsAskedToBe) {
  Scene scene(2, {150, 100, 1});
  for (Site site = 0; site < 15'000; ++site) scene.state.ids[std::size_t(site)] = scene.add(1);
  for (const int width : {123, 150, 160, 700, 1111}) {
    PictureSettings settings = slice(width, false);
    settings.colour_by = ColourBy::cell;
    settings.decoration = PictureSettings::Decoration::none;
    const Image image = draw(settings, scene.model, scene.state);
    ASSERT_EQ(image.width, width);
    ASSERT_EQ(image.height, int(width * 100 / 150.0 + 0.5));
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        const int column = int((x + 0.5) * 150 / width), row = int((y + 0.5) * 100 / image.height);
        const CellId id = scene.state.ids[std::size_t(row * 150 + column)];
        ASSERT_EQ(image.at(x, y), cell_colour(id)) << width << ": " << x << ", " << y;
      }
  }
}

TEST(SlicePicture, RefusesToBeTooHigh) {
  const Scene scene(2, {3, 30'000, 1});
  try {
    draw(slice(100, true), scene.model, scene.state);
    FAIL() << "a million rows";
  } catch (const UserError& e) {
    EXPECT_STREQ(e.what(),
                 "the picture 'test' would be 1000000 pixels high: at most 65535 are possible, which a width "
                 "of 6 gives.");
  }
}

PictureSettings of_tissue(int width) {
  PictureSettings settings = slice(width, false);
  settings.frame = PictureSettings::FrameOf::tissue;
  settings.decoration = PictureSettings::Decoration::none;
  return settings;
}

// 20 x 10 sites of 200 x 100, and a margin of 0.04 of 20 that is rounded up to a site.
TEST(SlicePicture, OfTheTissueShowsItWithAMargin) {
  Scene scene(2, {200, 100, 1});
  scene.fill(scene.add(3), [](const Vec3d& p) { return p.x >= 100 && p.x < 120 && p.y >= 30 && p.y < 40; });
  const Image image = draw(of_tissue(220), scene.model, scene.state);
  ASSERT_EQ(image.width, 220);
  ASSERT_EQ(image.height, 120);
  for (int y = 0; y < 120; ++y)
    for (int x = 0; x < 220; ++x) {
      const bool inside = x >= 10 && x < 210 && y >= 10 && y < 110;
      ASSERT_EQ(image.at(x, y), inside ? kGreen : kWhite) << x << ", " << y;
    }
}

TEST(SlicePicture, OfTheTissueKeepsItsSizeAndOnlyEverShowsMore) {
  Scene scene(2, {200, 100, 1});
  const CellId cell = scene.add(3);
  const auto at = [&](double low, double high) {
    std::fill(scene.state.ids.begin(), scene.state.ids.end(), kMedium);
    scene.fill(cell, [&](const Vec3d& p) { return p.x >= low && p.x < high && p.y >= 30 && p.y < 40; });
  };
  const auto green = [](const Image& image) {
    int count = 0;
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) count += image.at(x, y) == kGreen ? 1 : 0;
    return count;
  };
  PictureSeries series(of_tissue(220), scene.model);
  at(100, 120);
  const Image first = series.draw(scene.state);
  EXPECT_EQ(green(first), 200 * 100);
  at(101, 121);  // within the margin: nothing moves but the tissue
  const Image second = series.draw(scene.state);
  EXPECT_EQ(green(second), 200 * 100);
  EXPECT_EQ(second.at(20, 60), kGreen);
  EXPECT_EQ(second.at(19, 60), kWhite);
  at(101, 161);  // three times as long
  const Image third = series.draw(scene.state);
  EXPECT_EQ(third.width, 220);
  EXPECT_EQ(third.height, first.height);
  const double scale = 220.0 / (164 - 99);
  EXPECT_NEAR(green(third), 600 * scale * scale, 0.06 * 600 * scale * scale);
  at(100, 120);  // a frame does not shrink
  EXPECT_NEAR(green(series.draw(scene.state)), 200 * scale * scale, 0.06 * 200 * scale * scale);
  // A run that goes on later has the same frame.
  PictureSeries resumed(of_tissue(220), scene.model, Frame::from_numbers(series.frame().numbers()));
  EXPECT_EQ(resumed.draw(scene.state), series.draw(scene.state));
}

// What an animation needs: the frames share all that comes before their pixels.
TEST(SlicePicture, OfAnyStateHasTheSamePalette) {
  Scene scene = small_tissue();
  scene.state.act = HugeVector<ActValue>(12);
  scene.model.phases[0].physics.types[1].act.max = 9;
  Scene empty(2, {4, 3, 1});
  empty.state.act = HugeVector<ActValue>(12);
  empty.state.mcs = 123;
  for (const ColourBy by : {ColourBy::type, ColourBy::cell, ColourBy::act}) {
    PictureSettings settings = slice(400, true);
    settings.colour_by = by;
    const PngParts one = PictureSeries(settings, scene.model).draw_png(scene.state);
    const PngParts other = PictureSeries(settings, scene.model).draw_png(empty.state);
    EXPECT_NE(one.head.find("PLTE"), std::string::npos) << "more than 256 colours";
    EXPECT_EQ(one.head, other.head);
  }
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

// How many pixels of a strip have a colour.
int count_of(const Image& strip, Colour colour) {
  int count = 0;
  for (int y = 0; y < strip.height; ++y)
    for (int x = 0; x < strip.width; ++x) count += strip.at(x, y) == colour ? 1 : 0;
  return count;
}

// 1000 pixels of half a micrometre: a fifth of that is 100, so the bar is 100 micrometres or 200 pixels long.
TEST(Caption, HasABarOfTheRightLength) {
  Caption caption;
  caption.um_per_pixel = 0.5;
  caption.time = "1,234 MCS";
  const Image strip = caption_strip(1000, caption);
  ASSERT_EQ(strip.width, 1000);
  int longest = 0;
  for (int y = 0; y < strip.height; ++y) {
    int run = 0;
    for (int x = 0; x < 1000; ++x) {
      run = strip.at(x, y).red < 160 ? run + 1 : 0;
      longest = std::max(longest, run);
    }
  }
  EXPECT_NEAR(longest, 200, 6);
}

TEST(Caption, IsLeftOutOfSmallPicturesAndWhereItIsNotWanted) {
  EXPECT_EQ(caption_strip(199, Caption{}).height, 0);
  const Scene scene = small_tissue();
  PictureSettings settings = slice(400, true);
  EXPECT_GT(draw(settings, scene.model, scene.state).height, 300);
  settings.decoration = PictureSettings::Decoration::none;
  EXPECT_EQ(draw(settings, scene.model, scene.state).height, 300);
}

// Frozen, hidden types are not in the picture, so they are not named.
TEST(Caption, NamesTypesWithTheirColours) {
  const Scene scene = small_tissue();
  PictureSettings settings = slice(400, true);
  const Palette palette(ColourBy::type, scene.model, scene.state);
  const Caption full = caption_of(settings, scene.model, palette, 0, 1);
  std::vector<std::string> names;
  for (const Caption::Entry& entry : full.types) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"blue", "orange", "green"}));
  const Image strip = caption_strip(400, full);
  for (const Colour colour : {kBlue, kOrange, kGreen}) EXPECT_GT(count_of(strip, colour), 40);
  settings.decoration = PictureSettings::Decoration::scale;
  EXPECT_TRUE(caption_of(settings, scene.model, palette, 0, 1).types.empty());
  // In a narrow picture they take several rows, and none runs out of it.
  EXPECT_GT(caption_strip(200, full).height, caption_strip(1000, full).height / 3);
  for (const Colour colour : {kBlue, kOrange, kGreen})
    EXPECT_GT(count_of(caption_strip(200, full), colour), 40);
}

TEST(Caption, HasTheRangeOfAct) {
  Scene scene = small_tissue();
  scene.state.act = HugeVector<ActValue>(12);
  scene.model.phases[0].physics.types[1].act.max = 30;
  PictureSettings settings = slice(400, true);
  settings.colour_by = ColourBy::act;
  const Palette palette(ColourBy::act, scene.model, scene.state);
  const Caption caption = caption_of(settings, scene.model, palette, 0, 1);
  EXPECT_EQ(caption.ramp->high, "30");
  const Image strip = caption_strip(400, caption);
  for (const double share : {0.0, 1.0}) EXPECT_GT(count_of(strip, act_colour(share)), 5) << share;
  scene.model.phases[0].physics.types[2].act.max = 50;
  const Palette both(ColourBy::act, scene.model, scene.state);
  EXPECT_EQ(caption_of(settings, scene.model, both, 0, 1).ramp->high, "Max of the type");
}

TEST(Caption, TellsTheTimeInAUnitThatSuitsTheRun) {
  Model model = small_tissue().model;
  model.phases[0].mcs = 600;
  EXPECT_EQ(picture_time(model, 600), "600 MCS");
  model.units.seconds_per_mcs = 60;
  EXPECT_EQ(picture_time(model, 600), "10 h, 600 MCS");
  EXPECT_EQ(picture_time(model, 15), "0.25 h, 15 MCS");
  model.phases[0].mcs = 12'000;
  EXPECT_EQ(picture_time(model, 12'000), "8.333 days, 12,000 MCS");
}

TEST(Lettering, WordsTakeTheRoomTheySay) {
  for (const char* text :
       {"0123456789", "20 µm", "1.5 mm", "340 MCS", "T cells", "Stroma-2", "quick_jazzy", "ä ö"}) {
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

// An edge of a stroke has one of a few colours, or a picture would need more than a palette holds.
TEST(Lettering, HasFewColours) {
  Image image(600, 60);
  draw_text(image, 20.3, 10.7, 25.1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  int inked = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const Colour c = image.at(x, y);
      ASSERT_NE(std::find(ink_levels().begin(), ink_levels().end(), c), ink_levels().end());
      inked += c != kWhite ? 1 : 0;
    }
  EXPECT_GT(inked, 2000);
}

}  // namespace
}  // namespace kiln
