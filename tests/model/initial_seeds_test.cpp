// Seeds: balls at random places.
#include <gtest/gtest.h>

#include "model/initial_helpers.hpp"

namespace kiln {
namespace {

using namespace test;
using Kind = InitialStep::Kind;

Model seeds_of(Vec3i size, double radius, int64_t count, bool periodic = false) {
  Model model = model_of(size, periodic);
  InitialStep step = step_of(Kind::seeds);
  step.radius = radius;
  step.count = count;
  model.initial = {step};
  return model;
}

// Every cell must be one whole ball: the centroid is a site, and exactly the sites within the radius are its
// own.
void expect_whole_balls(const State& state, double radius, int64_t sites_per_ball) {
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    ASSERT_EQ(state.cells.extent[cell].volume, sites_per_ball) << "cell " << cell;
    const Vec3d centre = state.cells.position(cell);
    Vec3i middle{int32_t(centre.x), int32_t(centre.y), int32_t(centre.z)};
    ASSERT_EQ((Vec3d{double(middle.x), double(middle.y), double(middle.z)}), centre) << "cell " << cell;
    state.lattice.wrap(middle);
    for (Site site = 0; site < state.lattice.sites(); ++site) {
      if (state.ids[std::size_t(site)] != cell) continue;
      const Vec3i d = state.lattice.difference(middle, state.lattice.position(site));
      ASSERT_LE(double(dot(d, d)), radius * radius) << "cell " << cell;
    }
  }
}

TEST(InitialSeeds, CountIsExactAndBallsAreWhole) {
  // Within 1 of a site: 7 sites in 3-D; within 2: 33 sites (1 + 6 + 12 + 8 + 6); in 2-D within 2: 13.
  const State small = initial_state(seeds_of({20, 21, 22}, 1, 50));
  EXPECT_EQ(small.cells.count(), 51u);
  EXPECT_EQ(sites_of(small, kMedium), 20 * 21 * 22 - 50 * 7);
  expect_whole_balls(small, 1, 7);

  const State periodic = initial_state(seeds_of({20, 21, 22}, 2, 40, true));
  EXPECT_EQ(periodic.cells.count(), 41u);
  expect_whole_balls(periodic, 2, 33);

  const State flat = initial_state(seeds_of({40, 30, 1}, 2, 20));
  EXPECT_EQ(flat.cells.count(), 21u);
  expect_whole_balls(flat, 2, 13);
}

TEST(InitialSeeds, BallsGoAroundPeriodicAxesOnly) {
  // 25 x 25 sites hold 40 balls of radius 2; in the periodic box some of them, with this seed, lie across the
  // edge.
  const auto crossing = [](const State& state) {
    std::set<CellId> left, right;
    for (int32_t y = 0; y < state.lattice.size.y; ++y) {
      left.insert(state.ids[std::size_t(state.lattice.index({0, y, 0}))]);
      right.insert(state.ids[std::size_t(state.lattice.index({state.lattice.size.x - 1, y, 0}))]);
    }
    int both = 0;
    for (const CellId cell : left) both += cell != kMedium && right.count(cell) > 0 ? 1 : 0;
    return both;
  };
  EXPECT_GT(crossing(initial_state(seeds_of({25, 25, 1}, 2, 20, true))), 0);
  EXPECT_EQ(crossing(initial_state(seeds_of({25, 25, 1}, 2, 20, false))), 0);
}

TEST(InitialSeeds, RadiusBelowOneIsASingleSite) {
  for (const double radius : {0.0, 0.9}) {
    const State state = initial_state(seeds_of({10, 10, 1}, radius, 30));
    EXPECT_EQ(state.cells.count(), 31u);
    for (CellId cell = 1; cell <= 30; ++cell) EXPECT_EQ(state.cells.extent[cell].volume, 1);
  }
}

TEST(InitialSeeds, EveryLastPlaceIsFound) {
  // 60 x 50 single sites, all of them asked for: throwing at random alone would need very long.
  const State full = initial_state(seeds_of({60, 50, 1}, 0, 3000));
  EXPECT_EQ(full.cells.count(), 3001u);
  EXPECT_EQ(sites_of(full, kMedium), 0);
  EXPECT_EQ(error_of(seeds_of({60, 50, 1}, 0, 3001)),
            "test.toml: initial.0 (seeds) was to place 3001 cells of radius 0, but there "
            "is room for "
            "only 3000; ask for fewer, or make the radius smaller or the region larger.");
}

TEST(InitialSeeds, SaysHowManyFitted) {
  // A ball of radius 1 has one place in a closed 3 x 3 lattice, none in 2 x 9.
  EXPECT_EQ(error_of(seeds_of({3, 3, 1}, 1, 1)), "");
  EXPECT_NE(error_of(seeds_of({3, 3, 1}, 1, 2))
                .find("was to place 2 cells of radius 1, but there is room for only 1"),
            std::string::npos);
  EXPECT_NE(error_of(seeds_of({2, 9, 1}, 1, 1, true)).find("room for only 0"), std::string::npos);
  EXPECT_NE(error_of(seeds_of({9, 9, 9}, 1e9, 1)).find("room for only 0"), std::string::npos);
}

TEST(InitialSeeds, TooManyCellsForTheirIds) {
  EXPECT_EQ(error_of(seeds_of({9, 9, 9}, 0, 5000000000)),
            "test.toml: initial.0 (seeds) asks for 5000000000 cells in all; at most "
            "4294967294 are "
            "allowed.");
}

TEST(InitialSeeds, StayInTheirRegionAndOffTakenSites) {
  Model model = seeds_of({30, 30, 1}, 1, 25);
  model.initial[0].region = ball_region({15, 15, 0}, 10);
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({14, 0, 0}, {17, 30, 1});
  model.initial.insert(model.initial.begin(), wall);
  const State state = initial_state(model);
  ASSERT_EQ(state.cells.count(), 27u);
  EXPECT_EQ(sites_of(state, 1), 3 * 30);
  for (Site site = 0; site < state.lattice.sites(); ++site) {
    if (state.ids[std::size_t(site)] <= 1) continue;
    const Vec3i p = state.lattice.position(site);
    EXPECT_LE((p.x - 15) * (p.x - 15) + (p.y - 15) * (p.y - 15), 100);
  }
  for (CellId cell = 2; cell < 27; ++cell) EXPECT_EQ(state.cells.extent[cell].volume, 5);
}

TEST(InitialSeeds, AThinRegionIsFilledFromAList) {
  // One column of 1000 sites in a lattice of a million, outside of a box that leaves only it.
  Model model = seeds_of({1000, 1000, 1}, 0, 600);
  model.initial[0].region = outside_of(box_region({0, 0, 0}, {999, 1000, 1}));
  const State state = initial_state(model);
  EXPECT_EQ(state.cells.count(), 601u);
  for (CellId cell = 1; cell <= 600; ++cell) ASSERT_EQ(state.cells.position(cell).x, 999.0);
}

TEST(InitialSeeds, DensityCountsTheFreeSitesOfTheRegion) {
  Model model = seeds_of({40, 30, 1}, 1, 0);
  model.initial[0].count.reset();
  model.initial[0].density = 0.5;
  model.initial[0].types = {{kLight, 1.0}, {kDark, 3.0}};
  model.phases[0].physics.types[kLight].volume.target = 10;
  model.phases[0].physics.types[kDark].volume.target = 30;
  // The mean target is (10 + 3 x 30) / 4 = 25; half of 1200 sites is 600.
  EXPECT_EQ(initial_state(model).cells.count(), 1u + 24);

  model.initial[0].region = box_region({0, 0, 0}, {30, 30, 1});
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({0, 0, 0}, {10, 30, 1});
  model.initial.insert(model.initial.begin(), wall);
  // 20 x 30 free sites are left: 300 / 25 = 12.
  EXPECT_EQ(initial_state(model).cells.count(), 1u + 1 + 12);

  for (TypePhysics& type : model.phases[0].physics.types) type.volume.target = 0;
  EXPECT_EQ(error_of(model),
            "test.toml: initial.1 (seeds) has a density, but its cell types have no target "
            "volume in "
            "the first phase; give count.");
}

TEST(InitialSeeds, PlacesAreUniform) {
  // 4000 single seeds among 40000 sites, counted in 16 blocks. Without replacement the counts vary a little
  // less than chi-square with 15 degrees of freedom; false alarm below 1e-4.
  const State state = initial_state(seeds_of({200, 200, 1}, 0, 4000));
  int blocks[16] = {};
  for (Site site = 0; site < state.lattice.sites(); ++site)
    if (state.ids[std::size_t(site)] != kMedium) {
      const Vec3i p = state.lattice.position(site);
      ++blocks[p.y / 50 * 4 + p.x / 50];
    }
  double chi_square = 0;
  for (const int count : blocks) chi_square += (count - 250.0) * (count - 250.0) / 250.0;
  EXPECT_LT(chi_square, 44.26);
}

TEST(InitialSeeds, AreAFunctionOfTheSeed) {
  Model model = seeds_of({50, 50, 1}, 1, 60);
  const State first = initial_state(model), second = initial_state(model);
  EXPECT_EQ(first.ids, second.ids);
  model.seed = 8;
  EXPECT_FALSE(initial_state(model).ids == first.ids);
  // The same step again, later in the list, throws elsewhere.
  Model twice = seeds_of({50, 50, 1}, 0, 20);
  twice.initial.push_back(twice.initial[0]);
  const State both = initial_state(twice);
  int near = 0;
  for (CellId cell = 1; cell <= 20; ++cell) {
    const Vec3d d = both.cells.position(cell) - both.cells.position(cell + 20);
    near += dot(d, d) <= 2 ? 1 : 0;
  }
  EXPECT_LT(near, 3);  // 20 pairs, each near with probability 9/2500
}

}  // namespace
}  // namespace kiln
