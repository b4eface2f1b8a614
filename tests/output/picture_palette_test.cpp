#include "output/picture/palette.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <set>

#include "model/file/read.hpp"
#include "output/picture/caption.hpp"
#include "picture_fixture.hpp"

namespace kiln {
namespace {

using ColourBy = PictureSettings::ColourBy;

TEST(Palette, ConvertsColoursThereAndBack) {
  for (int red = 0; red < 256; red += 15)
    for (int green = 0; green < 256; green += 15)
      for (int blue = 0; blue < 256; blue += 15) {
        const Colour colour{uint8_t(red), uint8_t(green), uint8_t(blue)};
        EXPECT_EQ(from_oklab(to_oklab(colour)), colour);
        EXPECT_EQ(to_srgb(to_linear(colour)), colour);
      }
}

// The reference values of Ottosson's page: white is (1, 0, 0), and sRGB red is (0.628, 0.225, 0.126).
TEST(Palette, KnowsOkLab) {
  const OkLab white = to_oklab({255, 255, 255}), red = to_oklab({255, 0, 0});
  EXPECT_NEAR(white.lightness, 1, 1e-3);
  EXPECT_NEAR(white.a, 0, 1e-3);
  EXPECT_NEAR(white.b, 0, 1e-3);
  EXPECT_NEAR(red.lightness, 0.628, 1e-3);
  EXPECT_NEAR(red.a, 0.225, 1e-3);
  EXPECT_NEAR(red.b, 0.126, 1e-3);
}

TEST(Palette, ActRampStartsLightGreyAndOnlyGetsDarker) {
  const Colour start = act_colour(0);
  EXPECT_EQ(start.red, start.green);
  EXPECT_EQ(start.red, start.blue);
  EXPECT_GT(start.red, 200);
  float last = to_oklab(start).lightness;
  for (int i = 1; i <= 50; ++i) {
    const float lightness = to_oklab(act_colour(i / 50.0)).lightness;
    EXPECT_LT(lightness, last) << "at " << i << " of 50";
    last = lightness;
  }
  EXPECT_EQ(act_colour(-1), act_colour(0));
  EXPECT_EQ(act_colour(2), act_colour(1));
}

// 1200 cells over six sectors of hue: the share of a sector has mean 200 and sd 12.9; bounds are five sd.
TEST(Palette, CellsTakeHuesAllAroundTheCircle) {
  std::array<int, 6> sectors{};
  for (CellId cell = 1; cell <= 1200; ++cell) {
    const OkLab lab = to_oklab(cell_colour(cell));
    const double turns = std::atan2(lab.b, lab.a) / (2 * M_PI);
    // Hues are multiples of five degrees; half a step keeps rounding away from the sectors' ends.
    ++sectors[std::size_t(std::floor((turns - std::floor(turns)) * 6 + 6.0 / 144)) % 6];
  }
  for (const int count : sectors) EXPECT_NEAR(count, 200, 65);
}

TEST(Palette, CellsOfATypeDifferALittle) {
  Scene scene(2, {4, 4, 1});
  const Palette palette(ColourBy::type, scene.model, scene.state);
  const OkLab type = to_oklab(kBlue);
  std::set<float> lightnesses;
  for (CellId cell = 1; cell <= 100; ++cell) {
    const OkLab lab = to_oklab(palette.colour(cell, 1));
    lightnesses.insert(lab.lightness);
    EXPECT_NEAR(lab.lightness, type.lightness, 0.05);
    EXPECT_NEAR(lab.a, type.a, 0.02);
    EXPECT_NEAR(lab.b, type.b, 0.02);
  }
  EXPECT_GT(lightnesses.size(), 8u);
}

TEST(Palette, MediumAndFrozenTypesKeepTheirColour) {
  Scene scene(2, {4, 4, 1});
  scene.state.act = HugeVector<ActValue>(16);
  for (const ColourBy by : {ColourBy::type, ColourBy::cell, ColourBy::act}) {
    const Palette palette(by, scene.model, scene.state);
    EXPECT_EQ(palette.colour(kMedium, 0), kWhite);
    for (CellId cell = 1; cell < 20; ++cell) EXPECT_EQ(palette.colour(cell, 3, 5), kGreen);
  }
}

TEST(Palette, ActIsAShareOfTheTypesLargestMax) {
  Scene scene(2, {4, 4, 1});
  scene.state.act = HugeVector<ActValue>(16);
  scene.model.phases.resize(2, scene.model.phases[0]);
  scene.model.phases[0].physics.types[1].act.max = 20;
  scene.model.phases[1].physics.types[1].act.max = 80;
  const Palette palette(ColourBy::act, scene.model, scene.state);
  EXPECT_TRUE(palette.by_act());
  EXPECT_EQ(palette.colour(1, 1, 40), act_colour(0.5));
  EXPECT_EQ(palette.colour(1, 1, 0), act_colour(0));
  EXPECT_EQ(palette.colour(1, 2, 40), act_colour(0)) << "a type without Act";
}

TEST(Palette, WithoutActItFallsBackToTypes) {
  Scene scene(2, {4, 4, 1});
  const Palette by_act(ColourBy::act, scene.model, scene.state),
      by_type(ColourBy::type, scene.model, scene.state);
  EXPECT_FALSE(by_act.by_act());
  for (CellId cell = 1; cell < 20; ++cell) EXPECT_EQ(by_act.colour(cell, 1), by_type.colour(cell, 1));
}

// Sites from the light end to the dark one, the medium's among them, but not of what it cannot enter; where
// surfaces are drawn, cells by their means.
TEST(Palette, ShowsASubstance) {
  const Model model = parse_model(
      "[lattice]\nsize = [16, 8]\nboundary = \"closed\"\n[substances.s]\ndiffusion = 1\nstart = \"x\"\n"
      "unit = \"mmHg\"\nimpermeable = \"wall\"\n[types.wall]\nfrozen = true\n[types.cell]\n[[initial]]\nbox "
      "= 4\nspacing = 8\n"
      "type = \"cell\"\n",
      "m.toml", ".");
  const State state = initial_state(model);
  PictureSettings settings;
  settings.colour_by = *colour_named(model, "s");
  settings.shown = "s";
  const Palette slice(settings, model, state);
  EXPECT_EQ(slice.low(), 0);
  EXPECT_EQ(slice.high(), 15);
  EXPECT_TRUE(slice.by_site());
  for (const TypeId type : {0, 2}) {
    EXPECT_EQ(slice.colour(kMedium, type, slice.site_value(state, 0)), act_colour(0));
    EXPECT_EQ(slice.colour(kMedium, type, slice.site_value(state, 15)), act_colour(1));
  }
  EXPECT_EQ(slice.colour(1, 1, 7), model.types[1].colour);
  const Caption caption = caption_of(settings, model, slice, 0, 1);
  ASSERT_TRUE(caption.ramp);
  EXPECT_EQ(caption.ramp->name, "s");
  EXPECT_EQ(caption.ramp->low, "0");
  EXPECT_EQ(caption.ramp->high, "15 mmHg");
  settings.view = PictureSettings::View::solid;
  const Palette solid(settings, model, state);  // two cells, at x from 0 to 3 and from 8 to 11
  EXPECT_FALSE(solid.by_site());
  EXPECT_EQ(solid.low(), 1.5);
  EXPECT_EQ(solid.high(), 9.5);
  EXPECT_EQ(solid.colour(1, 2), act_colour(0));
  EXPECT_EQ(solid.colour(2, 2), act_colour(1));
  EXPECT_EQ(solid.colour(kMedium, 0), model.types[0].colour);
}

// Cells from the light end of the ramp to the dark one; what has no such property is as its type.
TEST(Palette, ShowsAProperty) {
  Model model = parse_model(
      "[lattice]\nsize = [30, 10]\n[types.a]\nproperties.dye = { start = \"x\", unit = \"nM\" }\n[types.b]\n"
      "[[initial]]\nbox = 10\ntype = \"a\"\nregion = { shape = \"box\", low = [0, 0], high = [20, 10] }\n"
      "[[initial]]\nbox = 10\ntype = \"b\"\n[[pictures]]\ncolour = \"dye\"\n",
      "m.toml", ".");
  const State state = initial_state(model);
  PictureSettings settings = model.pictures[0];
  const Palette palette(settings, model, state);
  EXPECT_EQ(palette.low(), 4.5);
  EXPECT_EQ(palette.high(), 14.5);
  EXPECT_EQ(palette.colour(1, 1), act_colour(0));
  EXPECT_EQ(palette.colour(2, 1), act_colour(1));
  EXPECT_EQ(palette.colour(3, 2), model.types[2].colour);
  const Caption caption = caption_of(settings, model, palette, 0, 1);
  EXPECT_EQ(caption.ramp->name, "dye");
  EXPECT_EQ(caption.ramp->low, "4.5");
  EXPECT_EQ(caption.ramp->high, "14.5 nM");
  settings.range = {0, 29};
  EXPECT_EQ(Palette(settings, model, state).colour(2, 1), act_colour(0.5));
  State without = state;  // as a snapshot has it
  without.cells.property.clear();
  EXPECT_EQ(Palette(settings, model, without).colour_by(), ColourBy::type);
}

}  // namespace
}  // namespace kiln
