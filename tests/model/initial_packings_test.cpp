// Hexagonal and Voronoi packings, and what becomes of slivers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/initial/nearest.hpp"
#include "model/initial_helpers.hpp"

namespace kiln {
namespace {

using namespace test;
using Kind = InitialStep::Kind;
using Slivers = InitialStep::Slivers;
using Rows = std::vector<std::string>;

Model packed(Vec3i size, Kind kind, double volume, bool periodic = true) {
  Model model = model_of(size, periodic);
  InitialStep step = step_of(kind);
  step.volume = volume;
  model.initial = {step};
  return model;
}

std::vector<int64_t> volumes_of(const State& state) {
  std::vector<int64_t> volumes(state.cells.count(), 0);
  for (const CellId id : state.ids) ++volumes[id];
  return volumes;
}

// Sides that a cell shares with others, by the other's id.
std::map<CellId, int> neighbours_of(const State& state, CellId cell) {
  std::map<CellId, int> sides;
  for (Site site = 0; site < state.lattice.sites(); ++site) {
    if (state.ids[std::size_t(site)] != cell) continue;
    for (int axis = 0; axis < state.lattice.dimension; ++axis)
      for (const int way : {-1, 1}) {
        Vec3i place = state.lattice.position(site);
        place[axis] += way;
        if (!state.lattice.wrap(place)) continue;
        const CellId other = state.ids[std::size_t(state.lattice.index(place))];
        if (other != cell) ++sides[other];
      }
  }
  return sides;
}

// Rows of 4 cells, 3.7 apart in theory; 6 rows 4 sites apart fit around the axis.
TEST(Hexagonal, RowsCloseAroundPeriodicAxes) {
  const State state = initial_state(packed({16, 24, 1}, Kind::hexagonal, 16));
  const std::vector<int64_t> volumes = volumes_of(state);
  ASSERT_EQ(state.cells.count(), 25u);
  EXPECT_EQ(volumes[0], 0);
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    EXPECT_EQ(volumes[cell], 16) << cell;
    EXPECT_EQ(neighbours_of(state, cell).size(), 6u) << cell;
  }
}

TEST(Hexagonal, EveryCellOfThe3DPackingTouchesTwelve) {
  const State state = initial_state(packed({48, 52, 48}, Kind::hexagonal, 1000));
  const std::vector<int64_t> volumes = volumes_of(state);
  EXPECT_EQ(volumes[0], 0);
  const double mean = double(state.lattice.sites()) / (state.cells.count() - 1);
  EXPECT_NEAR(mean, 1000, 200);
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    EXPECT_NEAR(double(volumes[cell]), mean, 0.1 * mean) << cell;
    EXPECT_GE(neighbours_of(state, cell).size(), 12u) << cell;
  }
}

TEST(Hexagonal, ClosedLatticesHaveHalfCellsAtEverySecondRow) {
  const State state = initial_state(packed({8, 8, 1}, Kind::hexagonal, 16, false));
  EXPECT_EQ(picture(state), (Rows{"11112222", "11112222", "11112222", "11112222",  //
                                  "33444455", "33444455", "33444455", "33444455"}));
}

// The definition, site by site.
TEST(Voronoi, SitesBelongToTheNearestSeed) {
  struct Case {
    Vec3i size;
    bool periodic;
    int64_t count;
  };
  for (const Case& c :
       {Case{{31, 27, 1}, true, 20}, Case{{31, 27, 1}, false, 200}, Case{{15, 13, 17}, true, 40},
        Case{{15, 13, 17}, false, 1}, Case{{40, 3, 1}, true, 9}, Case{{64, 64, 1}, true, 2}}) {
    Model model = packed(c.size, Kind::voronoi, 1, c.periodic);
    model.initial[0].count = c.count;
    State state = initial_state(model);
    ASSERT_EQ(state.cells.count(), CellId(c.count + 1));
    // The seeds, drawn again from their stream.
    std::vector<Site> seeds;
    for (uint64_t i = 0; int64_t(seeds.size()) < c.count; ++i) {
      Digits digits{draw(model.seed, Stream::initial_voronoi, i, 0).ab()};
      const int32_t z = int32_t(digits.take(uint32_t(c.size.z))),
                    y = int32_t(digits.take(uint32_t(c.size.y)));
      const Site site = model.lattice.index({int32_t(digits.take(uint32_t(c.size.x))), y, z});
      if (std::find(seeds.begin(), seeds.end(), site) == seeds.end()) seeds.push_back(site);
    }
    std::sort(seeds.begin(), seeds.end());
    for (Site site = 0; site < model.lattice.sites(); ++site) {
      CellId nearest = 0;
      int64_t least = INT64_MAX;
      for (std::size_t i = 0; i < seeds.size(); ++i) {
        const Vec3i d =
            model.lattice.difference(model.lattice.position(seeds[i]), model.lattice.position(site));
        const int64_t squared = int64_t(d.x) * d.x + int64_t(d.y) * d.y + int64_t(d.z) * d.z;
        if (squared < least) {
          least = squared;
          nearest = CellId(i + 1);
        }
      }
      ASSERT_EQ(state.ids[std::size_t(site)], nearest) << site;
    }
  }
}

TEST(Voronoi, FillsItsRegionAndLeavesTakenSites) {
  Model model = packed({30, 30, 1}, Kind::voronoi, 20, false);
  model.initial[0].region = ball_region({15, 15, 0}, 10);
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({0, 14, 0}, {30, 17, 1});
  model.initial.insert(model.initial.begin(), wall);
  const State state = initial_state(model);
  int64_t inside = 0;
  for (Site site = 0; site < model.lattice.sites(); ++site) {
    const Vec3i p = model.lattice.position(site);
    const Vec3d at{double(p.x), double(p.y), double(p.z)};
    const bool in_wall = wall.region.contains(at);
    const bool in_ball = !in_wall && model.initial[1].region.contains(at);
    inside += in_ball ? 1 : 0;
    const CellId id = state.ids[std::size_t(site)];
    ASSERT_EQ(in_wall ? 1 : in_ball ? 2 : 0, std::min<CellId>(id, 2)) << site;
  }
  EXPECT_EQ(double(state.cells.count() - 2), std::floor(double(inside) / 20 + 0.5));
}

TEST(Voronoi, DensityCountsCellsOfTargetVolume) {
  Model model = packed({40, 30, 1}, Kind::voronoi, 1);
  model.initial[0].density = 0.5;
  model.phases[0].physics.types[kLight].volume = {20, 1};
  EXPECT_EQ(initial_state(model).cells.count(), 31u);
}

TEST(Voronoi, TakesEverySiteWhereAsManyAreWanted) {
  Model model = packed({6, 5, 1}, Kind::voronoi, 1);
  EXPECT_EQ(initial_state(model).cells.count(), 31u);
  model.initial[0].count = 31;
  EXPECT_EQ(
      error_of(model),
      "test.toml: initial.0 (voronoi) was to place 31 cells, but its region has only 30 free sites; ask for "
      "fewer.");
}

// The spread of the volumes of random Voronoi cells in the plane is 0.53 of their mean; centroidal ones have
// far less.
TEST(Voronoi, RelaxingMakesCellsAlike) {
  const auto spread = [](int relax) {
    Model model = packed({200, 200, 1}, Kind::voronoi, 100);
    model.initial[0].relax = relax;
    const State state = initial_state(model);
    EXPECT_EQ(state.cells.count(), 401u);
    double squares = 0;
    for (CellId cell = 1; cell < state.cells.count(); ++cell) {
      const double off = state.cells.extent[cell].volume / 100.0 - 1;
      squares += off * off;
    }
    return std::sqrt(squares / 400);
  };
  // 400 cells: the standard error of the spread is about 0.02; fixed seed.
  EXPECT_NEAR(spread(0), 0.53, 0.08);
  EXPECT_LT(spread(5), 0.3);
}

// The same state on one thread, on many, and on every platform.
TEST(Voronoi, HasItsGoldenHash) {
  Model model = packed({61, 47, 33}, Kind::voronoi, 60);
  model.initial[0].relax = 2;
  EXPECT_EQ(state_hash(initial_state(model)), "b178d72b60b1faf0");
  model.initial[0] = packed({61, 47, 33}, Kind::hexagonal, 60).initial[0];
  model.initial[0].region = ball_region({30, 23, 16}, 18.5);
  model.initial[0].slivers = Slivers::give;
  EXPECT_EQ(state_hash(initial_state(model)), "8b745469a2e2926a");
}

// Boxes of 3 x 3 in a lattice of 7 x 4: the last column is one site wide, the last row one high.
Model cut_boxes(Slivers slivers, double smallest_share) {
  Model model = model_of({7, 4, 1});
  InitialStep step = step_of(Kind::boxes);
  step.box = step.spacing = {3, 3, 1};
  step.slivers = slivers;
  step.smallest_share = smallest_share;
  model.initial = {step};
  return model;
}

TEST(Slivers, AreKeptGivenOrDropped) {
  EXPECT_EQ(picture(initial_state(cut_boxes(Slivers::keep, 0.4))),
            (Rows{"1112223", "1112223", "1112223", "4445556"}));
  EXPECT_EQ(picture(initial_state(cut_boxes(Slivers::drop, 0.4))),
            (Rows{"111222.", "111222.", "111222.", "......."}));
  // 6 goes to 3 (one side with 3, one with 5, the first of equals), which then has 4 of 9 sites: no sliver
  // any more.
  EXPECT_EQ(picture(initial_state(cut_boxes(Slivers::give, 0.4))),
            (Rows{"1112223", "1112223", "1112223", "1112223"}));
  EXPECT_EQ(picture(initial_state(cut_boxes(Slivers::give, 0.5))),
            (Rows{"1112222", "1112222", "1112222", "1112222"}));
}

TEST(Slivers, CountAtTheShareItself) {
  // A third of a box is not less than a third.
  EXPECT_EQ(initial_state(cut_boxes(Slivers::drop, 3.0 / 9)).cells.count(), 6u);
  EXPECT_EQ(initial_state(cut_boxes(Slivers::drop, 3.1 / 9)).cells.count(), 3u);
}

// Neighbours of other steps, frozen ones among them, get nothing.
TEST(Slivers, AreGivenToTheirOwnStepOnly) {
  Model model = cut_boxes(Slivers::give, 0.5);
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({1, 0, 0}, {7, 4, 1});
  model.initial.insert(model.initial.begin(), wall);
  EXPECT_EQ(picture(initial_state(model)), (Rows{".111111", ".111111", ".111111", ".111111"}));
}

TEST(Slivers, ABallOfBoxesHasNone) {
  Model model = model_of({60, 60, 60});
  InitialStep step = step_of(Kind::boxes);
  step.box = step.spacing = {5, 5, 5};
  step.region = ball_region({29.5, 29.5, 29.5}, 26);
  model.initial = {step};
  const auto smallest = [&model] {
    const State state = initial_state(model);
    int32_t least = 1000;
    for (CellId cell = 1; cell < state.cells.count(); ++cell)
      least = std::min(least, state.cells.extent[cell].volume);
    return least;
  };
  EXPECT_LT(smallest(), 10);
  const int64_t filled = model.lattice.sites() - sites_of(initial_state(model), kMedium);
  model.initial[0].slivers = Slivers::give;
  EXPECT_GE(smallest(), 50);  // 0.4 of 125
  EXPECT_EQ(model.lattice.sites() - sites_of(initial_state(model), kMedium), filled) << "no site is lost";
}

// The estimate for validate against what comes, with slivers and without.
TEST(ExpectedCells, OfPackingsInABall) {
  Model model = model_of({60, 60, 60});
  InitialStep step = step_of(Kind::boxes);
  step.box = step.spacing = {5, 5, 5};
  step.region = ball_region({29.5, 29.5, 29.5}, 26);
  model.initial = {step};
  EXPECT_EQ(expected_cells(model), initial_state(model).cells.count() - 1);
  model.initial[0].slivers = Slivers::drop;
  EXPECT_EQ(expected_cells(model), initial_state(model).cells.count() - 1);
  for (const Kind kind : {Kind::hexagonal, Kind::voronoi}) {
    model.initial[0].kind = kind;
    model.initial[0].volume = 125;
    const double cells = double(initial_state(model).cells.count() - 1);
    EXPECT_NEAR(expected_cells(model), cells, 0.1 * cells);
  }
}

TEST(ExpectedCells, WithoutWhatEarlierStepsFill) {
  Model model = model_of({40, 40, 1});
  InitialStep wall = step_of(Kind::fill, kWall), boxes = step_of(Kind::boxes);
  wall.region = outside_of(ball_region({19.5, 19.5, 0}, 15));
  boxes.box = boxes.spacing = {4, 4, 1};
  model.initial = {wall, boxes};
  EXPECT_EQ(expected_cells(model), initial_state(model).cells.count() - 1);
  EXPECT_EQ(expected_cells(model, Frozen::left_out), initial_state(model).cells.count() - 2);
}

TEST(InitialNotes, AStepThatPlacesNothingHasOne) {
  Model model = model_of({20, 20, 1});
  InitialStep wall = step_of(Kind::fill, kWall), boxes = step_of(Kind::boxes);
  InitialStep beyond = boxes;
  beyond.region = box_region({30, 30, 0}, {40, 40, 1});  // a note on the model, not on the state
  model.initial = {wall, boxes, beyond};
  std::vector<std::string> notes;
  initial_state(model, &notes);
  EXPECT_EQ(notes, std::vector<std::string>{"initial.1 (boxes) places no cell."});
}

}  // namespace
}  // namespace kiln
