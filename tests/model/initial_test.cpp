// The initial state: types, bookkeeping, Act and directions.
#include <gtest/gtest.h>

#include <cmath>

#include "model/initial_helpers.hpp"

namespace kiln {
namespace {

using namespace test;
using Kind = InitialStep::Kind;

Model grid_of_single_sites(Vec3i size) {
  Model model = model_of(size);
  InitialStep step = step_of(Kind::boxes);
  step.box = step.spacing = {1, 1, 1};
  model.initial = {step};
  return model;
}

TEST(Initial, WithoutStepsThereIsOnlyMedium) {
  const State state = initial_state(model_of({4, 3, 2}));
  EXPECT_EQ(state.ids.size(), 24u);
  EXPECT_EQ(sites_of(state, kMedium), 24);
  EXPECT_EQ(state.cells.count(), 1u);
  EXPECT_EQ(state.cells.type[0], 0);
  EXPECT_EQ(state.mcs, 0);
  EXPECT_EQ(state.lattice.size, (Vec3i{4, 3, 2}));
  EXPECT_TRUE(state.act.empty());
  EXPECT_TRUE(state.cells.direction.empty());
  EXPECT_EQ(state.cells.history_length, 0);
}

TEST(Initial, TablesAreCounted) {
  Model model = model_of({6, 6, 1});
  InitialStep step = step_of(Kind::fill);
  step.region = box_region({2, 1, 0}, {4, 4, 1});  // 2 x 3 sites
  InitialStep wall = step_of(Kind::fill, kWall);
  wall.region = box_region({0, 0, 0}, {1, 6, 1});
  model.initial = {step, wall};
  const State state = initial_state(model);
  ASSERT_EQ(state.cells.count(), 3u);
  EXPECT_EQ(state.cells.extent[1].volume, 6);
  // A corner site has 5 foreign Moore neighbours, the middle site of a long side 3.
  EXPECT_EQ(state.cells.extent[1].perimeter, 4 * 5 + 2 * 3);
  EXPECT_EQ(state.cells.position(1), (Vec3d{2.5, 2.0, 0.0}));
  EXPECT_EQ(sites_of(state, 2), 6);
  EXPECT_EQ(state.cells.type[2], kWall);
  EXPECT_EQ(state.cells.extent[2].volume, 0) << "frozen cells are not tracked";
  EXPECT_EQ(audit(state, model.perimeter_neighbours, model.frozen_types()), "");
}

TEST(Initial, TypesFollowTheirWeights) {
  Model model = grid_of_single_sites({100, 100, 1});
  model.initial[0].types = {{kLight, 1.0}, {kDark, 3.0}};
  const State state = initial_state(model);
  ASSERT_EQ(state.cells.count(), 10001u);
  int light = 0;
  for (CellId cell = 1; cell < state.cells.count(); ++cell) light += state.cells.type[cell] == kLight ? 1 : 0;
  // Binomial(10000, 1/4): mean 2500, sd 43.3. Four sd: false alarm 6e-5, once, as the seed is fixed.
  EXPECT_NEAR(light, 2500, 173);

  const State again = initial_state(model);
  EXPECT_EQ(again.cells.type, state.cells.type);
  model.seed = 8;
  EXPECT_NE(initial_state(model).cells.type, state.cells.type);
}

TEST(Initial, ATypeOfWeightZeroIsNeverDrawn) {
  Model model = grid_of_single_sites({50, 50, 1});
  model.initial[0].types = {{kWall, 0.0}, {kLight, 0.5}, {kDark, 0.0}};
  const State state = initial_state(model);
  for (CellId cell = 1; cell < state.cells.count(); ++cell) ASSERT_EQ(state.cells.type[cell], kLight);
}

TEST(Initial, AStepWithoutTypesIsRefused) {
  Model model = grid_of_single_sites({3, 3, 1});
  model.initial[0].types.clear();
  EXPECT_EQ(error_of(model), "test.toml: initial.0 (boxes) names no cell type.");
}

TEST(Initial, ActStartsAtZeroOrFull) {
  Model model = model_of({4, 1, 1});
  model.lattice.dimension = 2;
  InitialStep left = step_of(Kind::fill, kLight), right = step_of(Kind::fill, kDark);
  left.region = box_region({0, 0, 0}, {1, 1, 1});
  right.region = box_region({2, 0, 0}, {4, 1, 1});
  model.initial = {left, right};
  std::vector<TypePhysics>& types = model.phases[0].physics.types;
  types[kLight].act = {100, 20, 0};
  types[kDark].act = {100, 300, 1};
  model.phases[0].physics.uses.act = true;
  const State state = initial_state(model);
  ASSERT_EQ(state.act.size(), 4u);
  EXPECT_EQ(std::vector<ActValue>(state.act.begin(), state.act.end()),
            (std::vector<ActValue>{0, 0, 300, 300}));
}

Model persistent_model(Vec3i size) {
  Model model = grid_of_single_sites(size);
  model.phases[0].physics.types[kLight].persistence = {40, 0.95f, 3};
  model.phases[0].physics.uses.persistence = true;
  return model;
}

TEST(Initial, DirectionsAreUniformOverTheSphere) {
  const State state = initial_state(persistent_model({20, 20, 20}));
  ASSERT_EQ(state.cells.direction.size(), 8001u);
  EXPECT_EQ(state.cells.direction[0], Vec3f{});
  int octants[8] = {}, caps[5] = {};
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    const Vec3f p = state.cells.direction[cell];
    ASSERT_NEAR(double(p.x) * p.x + double(p.y) * p.y + double(p.z) * p.z, 1.0, 1e-6);
    ++octants[(p.x > 0 ? 1 : 0) + (p.y > 0 ? 2 : 0) + (p.z > 0 ? 4 : 0)];
    // Equal heights of a sphere have equal areas (Archimedes).
    ++caps[std::min(4, int((p.z + 1.0f) * 2.5f))];
  }
  const auto chi_square = [](const int* counts, int bins) {
    double sum = 0;
    for (int i = 0; i < bins; ++i)
      sum += (counts[i] - 8000.0 / bins) * (counts[i] - 8000.0 / bins) * bins / 8000.0;
    return sum;
  };
  // False alarm 1e-4 each: the quantiles of chi-square with 7 and 4 degrees of freedom.
  EXPECT_LT(chi_square(octants, 8), 29.88);
  EXPECT_LT(chi_square(caps, 5), 23.51);
}

TEST(Initial, DirectionsOfFlatModelsStayInThePlane) {
  const State state = initial_state(persistent_model({40, 50, 1}));
  int sectors[8] = {};
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    const Vec3f p = state.cells.direction[cell];
    ASSERT_EQ(p.z, 0.0f);
    ASSERT_NEAR(double(p.x) * p.x + double(p.y) * p.y, 1.0, 1e-6);
    ++sectors[(p.x > 0 ? 1 : 0) + (p.y > 0 ? 2 : 0) + (std::abs(p.x) > std::abs(p.y) ? 4 : 0)];
  }
  double chi_square = 0;
  for (const int count : sectors) chi_square += (count - 250.0) * (count - 250.0) / 250.0;
  EXPECT_LT(chi_square, 29.88);  // 7 degrees of freedom, false alarm 1e-4
}

TEST(Initial, HistoryStartsAtTheCentroid) {
  Model model = model_of({8, 4, 1}, true);
  InitialStep cell = step_of(Kind::fill), still = step_of(Kind::fill, kDark),
              wall = step_of(Kind::fill, kWall);
  cell.region = box_region({1, 0, 0}, {3, 2, 1});
  still.region = box_region({4, 1, 0}, {5, 2, 1});
  wall.region = box_region({7, 0, 0}, {8, 4, 1});
  model.initial = {cell, still, wall};
  // The dark type is persistent in no phase, the light one in the second.
  model.phases.push_back(model.phases[0]);
  model.phases[1].physics.types[kLight].persistence = {40, 0.5f, 2};
  model.phases[1].physics.uses.persistence = true;
  const State state = initial_state(model);
  ASSERT_EQ(state.cells.history_length, 2);
  ASSERT_EQ(state.cells.history.size(), 8u);
  for (std::size_t slot = 0; slot < 2; ++slot) {
    EXPECT_EQ(state.cells.history[2 + slot], (Vec3d{1.5, 0.5, 0.0}));
    EXPECT_EQ(state.cells.history[4 + slot], (Vec3d{4.0, 1.0, 0.0}));
    EXPECT_EQ(state.cells.history[6 + slot], Vec3d{}) << "frozen cells are not tracked";
  }
  EXPECT_NE(state.cells.direction[1], Vec3f{});
  EXPECT_EQ(state.cells.direction[2], Vec3f{});
  EXPECT_EQ(state.cells.direction[3], Vec3f{});
}

}  // namespace
}  // namespace kiln
