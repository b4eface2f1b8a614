// Boxes, fill, tubes: drawn by hand on tiny lattices.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/random.hpp"
#include "model/initial/capsule.hpp"
#include "model/initial/rows.hpp"
#include "model/initial_helpers.hpp"

namespace kiln {
namespace {

using namespace test;
using Kind = InitialStep::Kind;
using Rows = std::vector<std::string>;

Model boxes_of(Vec3i size, Vec3i box, Vec3i spacing, Region region = {}) {
  Model model = model_of(size);
  InitialStep step = step_of(Kind::boxes);
  step.box = box;
  step.spacing = spacing;
  step.region = region;
  model.initial = {step};
  return model;
}

TEST(InitialShapes, BoxesAreCutAtTheEdge) {
  const State state = initial_state(boxes_of({7, 5, 1}, {3, 2, 1}, {3, 2, 1}));
  EXPECT_EQ(picture(state), (Rows{"1112223",  //
                                  "1112223",  //
                                  "4445556",  //
                                  "4445556",  //
                                  "7778889"}));
  EXPECT_EQ(state.cells.count(), 10u);
}

TEST(InitialShapes, BoxesMayStandApart) {
  const State state = initial_state(boxes_of({8, 5, 1}, {2, 2, 5}, {5, 3, 5}));
  EXPECT_EQ(picture(state), (Rows{"11...22.",  //
                                  "11...22.",  //
                                  "........",  //
                                  "33...44.",  //
                                  "33...44."}));
}

TEST(InitialShapes, BoxesInThreeDimensionsCountZSlowest) {
  const State state = initial_state(boxes_of({4, 2, 3}, {2, 2, 2}, {2, 2, 2}));
  EXPECT_EQ(picture(state, 0), (Rows{"1122", "1122"}));
  EXPECT_EQ(picture(state, 1), (Rows{"1122", "1122"}));
  EXPECT_EQ(picture(state, 2), (Rows{"3344", "3344"}));
}

TEST(InitialShapes, BoxesStartAtTheCornerOfABoxRegion) {
  // low <= place < high: x = 2..6, y = 1..3.
  const State state =
      initial_state(boxes_of({8, 5, 1}, {2, 2, 1}, {2, 2, 1}, box_region({1.5, 1, 0}, {7, 4, 1})));
  EXPECT_EQ(picture(state), (Rows{"........",  //
                                  "..11223.",  //
                                  "..11223.",  //
                                  "..44556.",  //
                                  "........"}));
}

TEST(InitialShapes, BoxesOfARegionBeyondTheLatticeKeepTheirPhase) {
  // Corners at x = -3, 0, 3, 6: only from 0 on do they reach into the lattice.
  const State state =
      initial_state(boxes_of({8, 1, 1}, {2, 1, 1}, {3, 1, 1}, box_region({-3, 0, 0}, {99, 1, 1})));
  EXPECT_EQ(picture(state), (Rows{"11.22.33"}));
  // Corners at -4 (sites -4 and -3), -1 (-1 and 0), 2, 5.
  const State shifted =
      initial_state(boxes_of({8, 1, 1}, {2, 1, 1}, {3, 1, 1}, box_region({-4, 0, 0}, {99, 1, 1})));
  EXPECT_EQ(picture(shifted), (Rows{"1.22.33."}));
}

TEST(InitialShapes, BoxesInABallAreCutByItAndEmptyOnesLeftOut) {
  // Radius 2 around (3, 3): the bounding box begins at (1, 1).
  const State state = initial_state(boxes_of({7, 7, 1}, {1, 2, 1}, {1, 2, 1}, ball_region({3, 3, 0}, 2)));
  EXPECT_EQ(picture(state), (Rows{".......",  //
                                  "...2...",  //
                                  "..123..",  //
                                  ".45678.",  //
                                  "..567..",  //
                                  "...9...",  //
                                  "......."}));
  EXPECT_EQ(state.cells.count(), 10u);
}

TEST(InitialShapes, BoxesOutsideOfABallStartAtZero) {
  const State state =
      initial_state(boxes_of({5, 4, 1}, {3, 4, 1}, {3, 4, 1}, outside_of(ball_region({2, 1, 0}, 1))));
  EXPECT_EQ(picture(state), (Rows{"11.22",  //
                                  "1...2",  //
                                  "11.22",  //
                                  "11122"}));
}

TEST(InitialShapes, TakenSitesAreRespected) {
  Model model = boxes_of({6, 3, 1}, {2, 3, 1}, {2, 3, 1});
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({1, 0, 0}, {4, 2, 1});
  InitialStep rest = step_of(Kind::fill, kDark);
  model.initial.insert(model.initial.begin(), wall);
  model.initial[1].region = box_region({0, 0, 0}, {6, 2, 1});
  model.initial.push_back(rest);
  model.initial.push_back(rest);  // finds nothing: no cell
  const State state = initial_state(model);
  EXPECT_EQ(picture(state), (Rows{"211133",  //
                                  "211133",  //
                                  "444444"}));
  EXPECT_EQ(state.cells.count(), 5u);
  EXPECT_EQ(state.cells.type, (std::vector<TypeId>{0, kWall, kLight, kLight, kDark}));
}

TEST(InitialShapes, FillTakesWhatLiesOutsideOfABall) {
  Model model = model_of({5, 5, 1});
  InitialStep step = step_of(Kind::fill, kWall);
  step.region = outside_of(ball_region({2, 2, 0}, 2));
  model.initial = {step};
  EXPECT_EQ(picture(initial_state(model)), (Rows{"11.11",  //
                                                 "1...1",  //
                                                 ".....",  //
                                                 "1...1",  //
                                                 "11.11"}));
}

TEST(InitialShapes, RowsHoldExactlyTheRegion) {
  const Lattice lattice = model_of({23, 17, 11}).lattice;
  const Region regions[] = {
      Region{},
      ball_region({11, 8, 5}, 5),
      ball_region({10.3, 8.7, 5.5}, 6.123),
      ball_region({-2, 8, 5}, 7),
      ball_region({30, 20, 5}, 12.5),
      ball_region({11, 8, 5}, 0),
      ball_region({11, 8, 5}, 100),
      box_region({3, 2, 1}, {9, 8, 7}),
      box_region({3.5, -2, 1.1}, {99.5, 8.2, 7}),
      box_region({5, 5, 5}, {5, 9, 9}),
      tube_region({3, 2, 2}, {15, 11, 7}, 2.5),
      tube_region({-3, 5, 4.5}, {40, 5, 4.5}, 3),
      tube_region({8, 5.25, 5}, {8, 5.25, 9}, 3.3),
      tube_region({4, 4, 4}, {4, 4, 4}, 2),
      tube_region({2, 3, 3}, {7, 3, 3}, 0),
      compound(Region::Shape::set_union, {ball_region({6, 6, 5}, 4), ball_region({14, 9, 5}, 5.5),
                                          outside_of(ball_region({11, 8, 5}, 9))}),
      compound(Region::Shape::intersection, {ball_region({6, 6, 5}, 6), box_region({4, 2, 1}, {20, 8, 9})}),
      compound(Region::Shape::intersection,
               {ball_region({6, 6, 5}, 6), outside_of(box_region({4, 2, 1}, {7, 8, 9}))}),
      compound(Region::Shape::difference, {ball_region({11, 8, 5}, 8), ball_region({11, 8, 5}, 4),
                                           tube_region({0, 8, 5}, {22, 8, 5}, 1)}),
      compound(Region::Shape::difference,
               {compound(Region::Shape::set_union, {box_region({1, 1, 1}, {5, 9, 9}), Region{}}),
                box_region({3, 2, 1}, {9, 8, 7})}),
  };
  for (Region region : regions)
    for (const bool outside : {false, true}) {
      region.outside = outside;
      const SiteBox box = bounding_box(region, lattice);
      for (Site site = 0; site < lattice.sites(); ++site) {
        const Vec3i p = lattice.position(site);
        const RowSpans spans = row_spans(region, lattice, p.y, p.z);
        const auto holds = [](Span span, int32_t v) { return v >= span.begin && v < span.end; };
        const bool found = std::any_of(spans.part.begin(), spans.part.end(),
                                       [&](const Span& span) { return holds(span, p.x); });
        ASSERT_EQ(found, region.contains({double(p.x), double(p.y), double(p.z)}))
            << p.x << ' ' << p.y << ' ' << p.z;
        if (found) {
          ASSERT_TRUE(holds(box.x, p.x) && holds(box.y, p.y) && holds(box.z, p.z));
        }
      }
    }
}

Model tube_of(Vec3i size, Vec3d from, Vec3d to, double radius, bool periodic = false) {
  Model model = model_of(size, periodic);
  InitialStep step = step_of(Kind::tube, kWall);
  step.from = from;
  step.to = to;
  step.radius = radius;
  model.initial = {step};
  return model;
}

TEST(InitialShapes, AStraightTubeHasRoundEnds) {
  EXPECT_EQ(picture(initial_state(tube_of({11, 7, 1}, {3, 3, 0}, {7, 3, 0}, 2))), (Rows{"...........",  //
                                                                                        "...11111...",  //
                                                                                        "..1111111..",  //
                                                                                        ".111111111.",  //
                                                                                        "..1111111..",  //
                                                                                        "...11111...",  //
                                                                                        "..........."}));
}

TEST(InitialShapes, ADiagonalTube) {
  // sqrt(1/2) = 0.707: the sites beside the diagonal are in, the next at sqrt 2 are not.
  EXPECT_EQ(picture(initial_state(tube_of({6, 6, 1}, {1, 1, 0}, {4, 4, 0}, 0.71))), (Rows{"......",  //
                                                                                          ".11...",  //
                                                                                          ".111..",  //
                                                                                          "..111.",  //
                                                                                          "...11.",  //
                                                                                          "......"}));
}

TEST(InitialShapes, ATubeAlongZ) {
  const State state = initial_state(tube_of({5, 5, 7}, {2, 2, 2}, {2, 2, 4}, 1));
  const Rows none(5, "....."), cap{".....", ".....", "..1..", ".....", "....."},
      disc{".....", "..1..", ".111.", "..1..", "....."};
  EXPECT_EQ(picture(state, 0), none);
  EXPECT_EQ(picture(state, 1), cap);
  EXPECT_EQ(picture(state, 2), disc);
  EXPECT_EQ(picture(state, 3), disc);
  EXPECT_EQ(picture(state, 4), disc);
  EXPECT_EQ(picture(state, 5), cap);
  EXPECT_EQ(picture(state, 6), none);
}

TEST(InitialShapes, TubesAreCutByWallsAndGoOnAroundPeriodicAxes) {
  EXPECT_EQ(picture(initial_state(tube_of({6, 4, 1}, {-2, 0, 0}, {1, 0, 0}, 1))), (Rows{"111...",  //
                                                                                        "11....",  //
                                                                                        "......",  //
                                                                                        "......"}));
  EXPECT_EQ(picture(initial_state(tube_of({6, 4, 1}, {-2, 0, 0}, {1, 0, 0}, 1, true))), (Rows{"111111",  //
                                                                                              "11..11",  //
                                                                                              "......",  //
                                                                                              "11..11"}));
}

TEST(InitialShapes, ATubeOfNoLengthIsABall) {
  EXPECT_EQ(picture(initial_state(tube_of({3, 3, 1}, {1, 1, 0}, {1, 1, 0}, 1))), (Rows{".1.", "111", ".1."}));
}

TEST(InitialShapes, ATubeFarOutsideIsRefused) {
  EXPECT_EQ(error_of(tube_of({6, 4, 1}, {0, 0, 0}, {0, 9, 0}, 1)),
            "test.toml: initial.0 (tube) has an end at y = 9; allowed is -4 to 8, one "
            "length of the "
            "lattice to either side.");
  EXPECT_EQ(error_of(tube_of({6, 4, 1}, {0, 0, 0}, {1, 1, 0}, 7)),
            "test.toml: initial.0 (tube) has radius = 7; allowed is 0 to 6, the longest "
            "side of the "
            "lattice.");
}

// Looking only near the line must find what looking everywhere finds.
TEST(InitialShapes, TubesInAnyDirectionAreComplete) {
  const Lattice lattice = model_of({16, 15, 14}).lattice;
  for (uint32_t i = 0; i < 60; ++i) {
    const Draw a = draw(5, Stream::pictures, i, 0), b = draw(5, Stream::pictures, i, 1);
    const auto place = [](uint32_t bits) { return double(bits % 2000) / 100 - 3; };
    const Capsule tube{
        {place(a.a), place(a.b), place(a.c)}, {place(b.a), place(b.b), place(b.c)}, 0.3 + 0.05 * i};
    std::set<Site> found, expected;
    for_each_site(tube, lattice, [&](const Vec3i& p) { found.insert(lattice.index(p)); });
    for (Site site = 0; site < lattice.sites(); ++site) {
      const Vec3i p = lattice.position(site);
      const Vec3d q{double(p.x), double(p.y), double(p.z)};
      // The distance to the nearest point of the line, the other way round than the tube computes it.
      const Vec3d along = tube.to - tube.from;
      const double t = std::clamp(dot(q - tube.from, along) / dot(along, along), 0.0, 1.0);
      const Vec3d off = q - (tube.from + along * t);
      if (dot(off, off) <= tube.radius * tube.radius) expected.insert(site);
    }
    ASSERT_EQ(found, expected) << "tube " << i;
  }
}

}  // namespace
}  // namespace kiln
