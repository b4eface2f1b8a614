#include <gtest/gtest.h>

#include <cmath>

#include "output/picture/picture.hpp"
#include "output/picture/solid.hpp"
#include "output/picture/solid_camera.hpp"
#include "output/picture/solid_tracer.hpp"
#include "output/picture/solid_volume.hpp"
#include "picture_fixture.hpp"

namespace kiln {
namespace {

// Narrower than 200 pixels: no footer, every pixel belongs to the scene.
PictureSettings solid(double turn, double tilt, int width = 160) {
  PictureSettings settings;
  settings.view = PictureSettings::View::solid;
  settings.turn = turn;
  settings.tilt = tilt;
  settings.width = width;
  return settings;
}

bool is_orange(Colour c) { return int(c.red) > int(c.blue) + 30; }
bool is_blue(Colour c) { return int(c.blue) > int(c.red) + 30; }
bool is_green(Colour c) { return int(c.green) > int(c.red) + 30 && int(c.green) > int(c.blue) + 30; }

Camera camera_for(const PictureSettings& settings, const Scene& scene) {
  Frame frame;
  return place_camera(settings, scene.model, scene.state, frame);
}

// How many pixels have a property, and where they lie on average.
struct Spot {
  double count = 0, x = 0, y = 0;
};

template <class Property>
Spot spot(const Image& image, const Property& property) {
  Spot result;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (property(image.at(x, y))) {
        result.count += 1;
        result.x += x;
        result.y += y;
      }
  result.x /= result.count;
  result.y /= result.count;
  return result;
}

Spot drawn(const Image& image) {
  return spot(image, [](Colour c) { return c != kSolidBackground; });
}

constexpr Vec3d kMiddle{19.5, 19.5, 19.5};

Scene ball(double radius) {
  Scene scene(3, {40, 40, 40});
  scene.fill_ball(scene.add(1), kMiddle, radius);
  return scene;
}

// A ball of radius r at distance D on the axis is seen as a disc of radius r / sqrt(D^2 - r^2) at distance 1.
TEST(SolidPicture, ABallIsADiscOfThePredictedSize) {
  const Scene scene = ball(14);
  for (const auto& [turn, tilt] : {std::pair{30.0, 25.0}, {0.0, 0.0}, {200.0, 70.0}}) {
    const PictureSettings settings = solid(turn, tilt);
    const Image image = draw(settings, scene.model, scene.state);
    const Camera camera = camera_for(settings, scene);
    const double distance2 = dot(camera.target - camera.eye, camera.target - camera.eye);
    const double radius = 14 / std::sqrt(distance2 - 14 * 14) / camera.pixel;
    const Spot disc = drawn(image);
    EXPECT_NEAR(disc.count, M_PI * radius * radius, 0.05 * M_PI * radius * radius);
    EXPECT_NEAR(disc.x, image.width / 2.0 - camera.middle_u / camera.pixel, 1.5);
    EXPECT_NEAR(disc.y, image.height / 2.0 + camera.middle_v / camera.pixel, 1.5);
    EXPECT_TRUE(is_blue(image.at(image.width / 2, image.height / 2)));
    for (const int x : {0, image.width - 1})
      for (const int y : {0, image.height - 1}) EXPECT_EQ(image.at(x, y), kSolidBackground);
  }
}

// The outside is frozen and hidden, so the ball alone fills the picture, up to a margin of 3 % on every side.
// The cubes of its sites, which must fit, reach up to 0.87 sites farther out than the ball: 5 % of the
// radius, 10 % of the area.
TEST(SolidPicture, FitsWhatCanBeDrawn) {
  Scene scene = ball(17);
  scene.fill(scene.add(4), [](const Vec3d& p) { return dot(p - kMiddle, p - kMiddle) > 17 * 17; });
  const Image image = draw(solid(30, 25), scene.model, scene.state);
  const double radius = 0.47 * image.width;
  EXPECT_NEAR(image.height, image.width, 3);
  EXPECT_NEAR(drawn(image).count, 0.95 * M_PI * radius * radius, 0.05 * M_PI * radius * radius);
}

TEST(SolidPicture, TheCameraStandsStillWhenCellsMove) {
  Scene before(3, {30, 20, 25}), after(3, {30, 20, 25});
  before.fill_ball(before.add(1), {5, 5, 5}, 3);
  after.fill_ball(after.add(1), {22, 14, 18}, 5);
  const Camera a = camera_for(solid(30, 25), before);
  const Camera b = camera_for(solid(30, 25), after);
  EXPECT_EQ(a.eye, b.eye);
  EXPECT_EQ(a.pixel, b.pixel);
  EXPECT_EQ(a.height, b.height);
}

Scene two_balls(const Vec3d& blue, const Vec3d& orange) {
  Scene scene(3, {40, 40, 40});
  scene.fill_ball(scene.add(1), blue, 6);
  scene.fill_ball(scene.add(2), orange, 6);
  return scene;
}

TEST(SolidPicture, TurnWalksAroundTheVerticalAxis) {
  const Scene scene = two_balls({8, 19.5, 19.5}, {31, 19.5, 19.5});
  const Image front = draw(solid(0, 0), scene.model, scene.state);
  EXPECT_LT(spot(front, is_blue).x, 60);
  EXPECT_GT(spot(front, is_orange).x, 100);
  const Image back = draw(solid(180, 0), scene.model, scene.state);
  EXPECT_GT(spot(back, is_blue).x, 100);
  EXPECT_LT(spot(back, is_orange).x, 60);
  // From the side of larger x the orange ball hides the blue one.
  const Image side = draw(solid(90, 0), scene.model, scene.state);
  EXPECT_EQ(spot(side, is_blue).count, 0);
  EXPECT_GT(spot(side, is_orange).count, 500);
}

TEST(SolidPicture, ZPointsUpAndTiltLooksDown) {
  const Scene scene = two_balls({19.5, 19.5, 8}, {19.5, 19.5, 31});
  const Image front = draw(solid(0, 0), scene.model, scene.state);
  EXPECT_LT(spot(front, is_orange).y, spot(front, is_blue).y - 40);
  const Image above = draw(solid(0, 90), scene.model, scene.state);
  EXPECT_EQ(spot(above, is_blue).count, 0);
  EXPECT_GT(spot(above, is_orange).count, 500);
}

TEST(SolidPicture, IsTheSameOnOneThreadAndOnMany) {
  Scene scene = two_balls({12, 19.5, 19.5}, {24, 21, 19.5});
  scene.fill_ball(scene.add(3), {20, 8, 30}, 5);
  PictureSettings settings = solid(30, 25);
  settings.cut_away = true;
  const Image one = draw(settings, scene.model, scene.state, 1);
  EXPECT_EQ(draw(settings, scene.model, scene.state, 3), one);
  EXPECT_EQ(draw(settings, scene.model, scene.state, 8), one);
}

TEST(SolidPicture, HiddenTypesAndMediumAreTransparent) {
  Scene scene = two_balls({19.5, 30, 19.5}, {19.5, 8, 19.5});
  EXPECT_EQ(spot(draw(solid(0, 0), scene.model, scene.state), is_blue).count, 0)
      << "the orange ball is in front";
  scene.model.types[2].hidden = true;
  const Image image = draw(solid(0, 0), scene.model, scene.state);
  EXPECT_EQ(spot(image, is_orange).count, 0);
  EXPECT_GT(spot(image, is_blue).count, 500);
}

TEST(SolidPicture, CutAwayShowsTheInside) {
  Scene scene = ball(18);
  scene.fill_ball(scene.add(2), kMiddle, 8);
  PictureSettings settings = solid(30, 25);
  EXPECT_EQ(spot(draw(settings, scene.model, scene.state), is_orange).count, 0);
  settings.cut_away = true;
  const Image image = draw(settings, scene.model, scene.state);
  EXPECT_GT(spot(image, is_orange).count, 300);
  EXPECT_GT(spot(image, is_blue).count, 2000);
}

// 64 small cells on a grid, all of which can be seen from the front, and a frozen one.
TEST(SolidPicture, OneCellInSoManyIsDrawn) {
  Scene scene(3, {84, 40, 84});
  for (int i = 0; i < 64; ++i) scene.fill_ball(scene.add(1), {6.0 + i % 8 * 10, 20, 6.0 + i / 8 * 10}, 4);
  scene.fill_ball(scene.add(3), {78, 20, 78}, 4);
  PictureSettings settings = solid(0, 0);
  const double all = spot(draw(settings, scene.model, scene.state), is_blue).count;
  double sum = 0;
  for (const int64_t one_in : {2, 4}) {
    settings.one_cell_in = one_in;
    const Image image = draw(settings, scene.model, scene.state);
    const double share = spot(image, is_blue).count / all;
    // Three standard deviations of a binomial share, and more.
    EXPECT_NEAR(share, 1.0 / double(one_in), 0.19);
    EXPECT_GT(share, 0);
    EXPECT_GT(spot(image, is_green).count, 0) << "frozen cells are always drawn";
    EXPECT_EQ(draw(settings, scene.model, scene.state, 2), image);
    sum += share;
  }
  EXPECT_LT(sum, 1);
  settings.one_cell_in = 1'000'000;
  EXPECT_EQ(spot(draw(settings, scene.model, scene.state), is_blue).count, 0);
}

// Turn 30 and tilt 25 look from larger x and z and from smaller y: that octant is taken out.
TEST(SolidPicture, ThinFrozenCellsStayInTheOctantThatIsCutAway) {
  const auto in_octant = [](const Vec3d& p) {
    return p.x > 26 && p.x < 30 && p.y > 10 && p.y < 14 && p.z > 21;
  };
  PictureSettings settings = solid(30, 25);
  settings.cut_away = true;
  Scene with_pillar = ball(18);
  with_pillar.fill(with_pillar.add(3), in_octant);
  EXPECT_GT(spot(draw(settings, with_pillar.model, with_pillar.state), is_green).count, 200);
  Scene with_cell = ball(18);
  with_cell.fill(with_cell.add(2), in_octant);
  EXPECT_EQ(spot(draw(settings, with_cell.model, with_cell.state), is_orange).count, 0);
}

// It is thin, but nothing could be seen behind it.
TEST(SolidPicture, AFrozenSheetInTheOctantIsCutAway) {
  Scene scene = ball(18);
  scene.fill(scene.add(3), [](const Vec3d& p) {
    return p.x > 20 && p.y < 19 && p.z > 20 && dot(p - kMiddle, p - kMiddle) > 16 * 16;
  });
  PictureSettings settings = solid(30, 25);
  EXPECT_GT(spot(draw(settings, scene.model, scene.state), is_green).count, 1000);
  settings.cut_away = true;
  EXPECT_EQ(spot(draw(settings, scene.model, scene.state), is_green).count, 0);
}

TEST(SolidPicture, AFrozenShellIsCutAwayLikeTheRest) {
  Scene scene(3, {40, 40, 40});
  scene.fill_ball(scene.add(3), kMiddle, 19);
  scene.fill_ball(scene.add(2), kMiddle, 12);
  PictureSettings settings = solid(30, 25);
  EXPECT_EQ(spot(draw(settings, scene.model, scene.state), is_orange).count, 0);
  settings.cut_away = true;
  EXPECT_GT(spot(draw(settings, scene.model, scene.state), is_orange).count, 1000);
}

TEST(SolidPicture, SmoothingKeepsALonelyVoxelAndAThinThread) {
  Scene voxel(3, {9, 9, 9});
  voxel.fill(voxel.add(1), [](const Vec3d& p) { return p == Vec3d{4, 4, 4}; });
  EXPECT_GT(drawn(draw(solid(30, 25), voxel.model, voxel.state)).count, 4);
  Scene thread(3, {9, 9, 9});
  thread.fill(thread.add(1), [](const Vec3d& p) { return p.x == 4 && p.y == 4; });
  // The thread is as long as the lattice is high; only what the near side of the lattice gains by perspective
  // is left.
  const Image image = draw(solid(0, 0), thread.model, thread.state);
  int rows = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (image.at(x, y) != kSolidBackground) {
        ++rows;
        break;
      }
  EXPECT_GT(rows, 0.7 * image.height);
}

TEST(SolidPicture, LinesBetweenCellsOnlyDarken) {
  Scene scene(3, {40, 40, 40});
  const CellId left = scene.add(3), right = scene.add(3);
  scene.fill(left, [](const Vec3d& p) { return p.x < 20 && p.x > 4 && p.z > 4 && p.z < 35; });
  scene.fill(right, [](const Vec3d& p) { return p.x >= 20 && p.x < 35 && p.z > 4 && p.z < 35; });
  PictureSettings settings = solid(0, 0);
  const Image with = draw(settings, scene.model, scene.state);
  settings.borders = false;
  const Image without = draw(settings, scene.model, scene.state);
  double changed = 0;
  for (int y = 0; y < with.height; ++y)
    for (int x = 0; x < with.width; ++x) {
      if (with.at(x, y) == without.at(x, y)) continue;
      changed += 1;
      EXPECT_LT(with.at(x, y).green, without.at(x, y).green);
      EXPECT_NEAR(x, 79.5, 3) << "the cells meet in the middle";
    }
  // At least one pixel in each row that the cells cover, which is three quarters of 94 % of the height.
  EXPECT_GT(changed, 0.6 * with.height);
}

TEST(SolidPicture, DrawsATwoDimensionalLatticeAsAPlate) {
  Scene scene(2, {40, 40, 1});
  scene.fill(scene.add(1), [](const Vec3d& p) { return p.x < 20; });
  const Image image = draw(solid(0, 90), scene.model, scene.state);
  const Spot plate = spot(image, is_blue);
  // Half of the square that fills the picture up to its margins.
  EXPECT_NEAR(plate.count, 0.5 * 150 * 150, 0.06 * 150 * 150);
  EXPECT_NEAR(plate.x, 42, 3);
  EXPECT_NEAR(plate.y, image.height / 2.0, 3);
}

// The silhouette of the whole lattice, from the corners of its box: nothing is rounded off, or torn, at the
// walls.
double area_of_box(const Camera& camera, const Vec3i& size) {
  std::vector<Vec3d> corners;
  for (int i = 0; i < 8; ++i) {
    const Vec3d p{(i & 1) != 0 ? size.x - 0.5 : -0.5, (i & 2) != 0 ? size.y - 0.5 : -0.5,
                  (i & 4) != 0 ? size.z - 0.5 : -0.5};
    const Vec3d d = p - camera.eye;
    corners.push_back(
        {dot(d, camera.right) / dot(d, camera.forward), dot(d, camera.up) / dot(d, camera.forward), 0});
  }
  // The convex hull by its supporting points, in small steps of the angle.
  constexpr int kSteps = 20'000;
  double area = 0;
  Vec3d last{};
  for (int i = 0; i <= kSteps; ++i) {
    const double angle = 2 * M_PI * i / kSteps;
    Vec3d far = corners[0];
    for (const Vec3d& c : corners)
      if ((c.x - far.x) * std::cos(angle) + (c.y - far.y) * std::sin(angle) > 0) far = c;
    if (i > 0) area += 0.5 * (last.x * far.y - far.x * last.y);
    last = far;
  }
  return area / (camera.pixel * camera.pixel);
}

TEST(SolidPicture, WhatReachesTheWallsIsCutFlat) {
  for (const Vec3i size : {Vec3i{20, 24, 18}, Vec3i{40, 40, 3}, Vec3i{3, 5, 40}}) {
    Scene scene(3, size);
    scene.fill(scene.add(3), [](const Vec3d&) { return true; });
    const PictureSettings settings = solid(30, 25);
    const Image image = draw(settings, scene.model, scene.state);
    const double area = area_of_box(camera_for(settings, scene), size);
    // Pixels at the edge count as drawn: half a pixel around the silhouette.
    EXPECT_GT(drawn(image).count, area) << size.x;
    EXPECT_LT(drawn(image).count, area + 0.6 * 4 * 160) << size.x;
  }
}

// A face of the wall is lit evenly: each of three has one colour, up to the haze of distance.
TEST(SolidPicture, ACutAtTheWallIsEven) {
  Scene scene(3, {20, 20, 20});
  scene.fill(scene.add(3), [](const Vec3d&) { return true; });
  const Image image = draw(solid(0, 0), scene.model, scene.state);
  const Colour middle = image.at(80, 80);
  for (const auto& [x, y] : {std::pair{10, 10}, {150, 10}, {10, 150}, {80, 12}, {40, 120}})
    EXPECT_NEAR(image.at(x, y).green, middle.green, 4) << x << ", " << y;
}

// Of a box all of whose corners are in the medium, smoothing takes the corners: putting their voxels back
// grew horns.
TEST(SolidVolume, RoundsTheCornersOfABoxAndKeepsThinThings) {
  Scene scene(3, {24, 24, 24});
  scene.fill(scene.add(1), [](const Vec3d& p) {
    const bool box = p.x >= 4 && p.x < 12 && p.y >= 4 && p.y < 12 && p.z >= 4 && p.z < 12;
    const bool lonely = p == Vec3d{18, 18, 18}, thread = p.x == 18 && p.y == 5;
    return box || lonely || thread;
  });
  const SolidVolume volume(scene.state, {0, 1}, 1, 2);
  const auto at = [&](double x, double y, double z) {
    const Vec3d p = volume.place({x, y, z});
    return volume.fine().at({float(p.x), float(p.y), float(p.z)});
  };
  for (const double x : {4, 11})
    for (const double y : {4, 11})
      for (const double z : {4, 11}) EXPECT_LT(at(x, y, z), SolidVolume::kSurface);
  EXPECT_GT(at(5, 5, 5), SolidVolume::kSurface);
  EXPECT_GT(at(18, 18, 18), SolidVolume::kSurface);
  for (const double z : {0.0, 12.0, 23.0, 23.5}) EXPECT_GT(at(18, 5, z), SolidVolume::kSurface) << z;
}

// Rays skip what is empty, and may start late. What they meet is what small steps find.
TEST(SolidTracer, MeetsTheFirstSurfaceThatSmallStepsFind) {
  Scene scene(3, {45, 38, 41});
  std::vector<uint8_t> visible{0};
  for (int i = 0; i < 12; ++i) {
    scene.fill_ball(scene.add(1), {5.0 + 13 * i % 37, 4.0 + 7 * i % 31, 6.0 + 11 * i % 29}, 1.5 + i % 4);
    visible.push_back(1);
  }
  const SolidVolume volume(scene.state, visible, 0.5, 1);
  const SolidTracer tracer(volume, Look::everywhere, {});
  int hits = 0;
  for (int i = 0; i < 600; ++i) {
    const Vec3d target{double(i * 17 % 45), double(i * 29 % 38), double(i * 23 % 41)}, eye{-60, -45.5, 71.3};
    const Vec3d d = target - eye;
    const Ray ray{eye, d * (1 / std::sqrt(dot(d, d)))};
    const auto value = [&](double t) {
      const Vec3d p = volume.place(ray.origin + ray.direction * t);
      for (int axis = 0; axis < 3; ++axis)
        if (p[axis] < volume.low_wall()[axis] || p[axis] > volume.high_wall()[axis]) return 0.0f;
      return volume.fine().at({float(p.x), float(p.y), float(p.z)});
    };
    double t = 60;
    while (t < 220 && value(t) < SolidVolume::kSurface) t += 0.01;
    const std::optional<Hit> hit = tracer.trace(ray);
    // A graze of less than a quarter of a site may be passed over.
    double through = t;
    while (through < 220 && value(through) >= SolidVolume::kSurface) through += 0.01;
    if (through - t > 0 && through - t < 0.6) continue;
    ASSERT_EQ(hit.has_value(), t < 220) << i;
    if (!hit) continue;
    ++hits;
    EXPECT_NEAR(hit->distance, t, 0.05) << i;
    const std::optional<Hit> late = tracer.trace(ray, t - 2);
    ASSERT_TRUE(late) << i;
    EXPECT_NEAR(late->distance, t, 0.05) << i;
    EXPECT_FALSE(tracer.trace(ray, 0, t - 0.05)) << i;
  }
  EXPECT_GT(hits, 100);
}

// Where sites are several pixels wide, pixels between others that agree are not looked at: a flat face shows
// none.
TEST(SolidPicture, PixelsThatAreFilledInLookLikeTheirNeighbours) {
  const Image image = draw(solid(30, 25, 190), ball(15).model, ball(15).state, 1);
  int jumps = 0;
  for (int y = image.height / 2 - 20; y < image.height / 2 + 20; ++y)
    for (int x = image.width / 2 - 20; x < image.width / 2 + 20; ++x)
      jumps += std::abs(int(image.at(x, y).green) - int(image.at(x + 1, y).green)) > 8 ? 1 : 0;
  EXPECT_EQ(jumps, 0);
}

TEST(SolidPicture, OfTheTissueIsFilledByIt) {
  Scene scene(3, {80, 80, 80});
  scene.fill_ball(scene.add(1), {25, 50, 30}, 12);
  PictureSettings settings = solid(30, 25);
  const double of_lattice = drawn(draw(settings, scene.model, scene.state)).count;
  settings.frame = PictureSettings::FrameOf::tissue;
  const Image image = draw(settings, scene.model, scene.state);
  const double radius = 0.5 * image.width / (1 + 2 * 0.04) * 0.94;
  EXPECT_NEAR(drawn(image).count, M_PI * radius * radius, 0.1 * M_PI * radius * radius);
  EXPECT_GT(drawn(image).count, 8 * of_lattice);
}

TEST(SolidPicture, OfTheTissueIsCutAwayInItsMiddle) {
  Scene scene(3, {80, 80, 80});
  scene.fill_ball(scene.add(1), {25, 50, 30}, 14);
  scene.fill_ball(scene.add(2), {25, 50, 30}, 6);
  PictureSettings settings = solid(30, 25);
  settings.frame = PictureSettings::FrameOf::tissue;
  settings.cut_away = true;
  EXPECT_GT(spot(draw(settings, scene.model, scene.state), is_orange).count, 300);
}

TEST(SolidPicture, HasAxesBelowIt) {
  Scene scene = ball(14);
  PictureSettings settings = solid(30, 25, 300);
  settings.decoration = PictureSettings::Decoration::scale;
  const Image plain = draw(settings, scene.model, scene.state);
  settings.decoration = PictureSettings::Decoration::full;
  const Image full = draw(settings, scene.model, scene.state);
  settings.decoration = PictureSettings::Decoration::none;
  const Image none = draw(settings, scene.model, scene.state);
  EXPECT_GT(full.height, plain.height);
  EXPECT_GT(plain.height, none.height);
  const auto below = [&](const Image& image) {
    double ink = 0;
    for (int y = none.height; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) ink += image.at(x, y) != kWhite ? 1 : 0;
    return ink;
  };
  EXPECT_GT(below(full), below(plain) + 60);
}

TEST(SolidPicture, ShadesALargeLatticeThatIsSampled) {
  Scene scene(3, {160, 160, 160});
  scene.fill_ball(scene.add(1), {79.5, 79.5, 79.5}, 56);
  const PictureSettings settings = solid(30, 25, 40);
  const Camera camera = camera_for(settings, scene);
  ASSERT_GE(camera.sites_per_pixel(), 4);
  const double distance2 = dot(camera.target - camera.eye, camera.target - camera.eye);
  const double radius = 56 / std::sqrt(distance2 - 56 * 56) / camera.pixel;
  EXPECT_NEAR(drawn(draw(settings, scene.model, scene.state)).count, M_PI * radius * radius,
              0.15 * M_PI * radius * radius);
}

}  // namespace
}  // namespace kiln
