#include "measure/recorder.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/small_states.hpp"

namespace kiln {
namespace {

using namespace test;

Model model_with(const std::vector<CellType>& types) {
  Model model;
  model.types = types;
  model.units = {2.0, 30.0};
  return model;
}

// Without any energy.
Phase phase(const std::string& name = "") {
  Phase result;
  result.name = name;
  result.physics.types.resize(4);
  result.physics.adhesion_units.assign(16, 0);
  return result;
}

CellType type(const std::string& name, bool frozen = false) {
  CellType result;
  result.name = name;
  result.frozen = frozen;
  return result;
}

const std::vector<CellType> kTypes = {type("medium"), type("light"), type("dark"), type("wall", true)};

TEST(ContactPairs, AreOfCellsWithEveryType) {
  using Pair = std::pair<TypeId, TypeId>;
  EXPECT_EQ(contact_pairs(kTypes),
            (std::vector<Pair>{{1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {2, 2}, {2, 3}}));
}

// 1 2 2 0 1 3, in one row: cell 1 (light) in two pieces, cell 2 dark, cell 3 the wall, cell 4 (dark) extinct.
TEST(Recorder, OneRow) {
  Recorder recorder(model_with(kTypes));
  State state =
      state_from(flat(6, 1, false, false), {1, 2, 2, 0, 1, 3}, {0, 1, 2, 3, 2}, frozen_flags(kTypes));
  state.mcs = 20;
  recorder.record(state, {1000, 500, 100}, phase("settle"));
  state.mcs = 40;
  state.cells.centroid[2].anchor.x += 3;
  const MeasureRow row = recorder.record(state, {3000, 1000, 500}, phase("run"));
  EXPECT_EQ(row.mcs, 40);
  EXPECT_DOUBLE_EQ(row.minutes, 20);
  EXPECT_EQ(row.phase, "run");
  EXPECT_EQ(row.cells, 2);
  EXPECT_EQ(row.extinct, 1);
  EXPECT_EQ(row.fragmented, 1);
  EXPECT_DOUBLE_EQ(row.acceptance.of_attempts, 0.2);
  EXPECT_DOUBLE_EQ(row.acceptance.live_share, 0.25);
  EXPECT_DOUBLE_EQ(row.size.volume.mean, 2);
  EXPECT_DOUBLE_EQ(row.size.volume.sd, 0);
  EXPECT_DOUBLE_EQ(row.size.perimeter.mean, 2.5);  // 3 and 2
  EXPECT_EQ(row.interface, (Interface{0, 1, 2, 1}));
  EXPECT_DOUBLE_EQ(row.motion.displacement_um, 3);  // one by 6, one by 0
  EXPECT_DOUBLE_EQ(row.motion.speed_um_per_min, 0.3);
  EXPECT_EQ(row.medium_sites, 1);
  ASSERT_EQ(row.of_types.size(), 2u);  // light and dark; the wall is frozen
  EXPECT_EQ(row.of_types[0].cells, 1);
  EXPECT_DOUBLE_EQ(row.of_types[0].volume.mean, 2);
  EXPECT_DOUBLE_EQ(row.of_types[0].speed_um_per_min, 0);
  EXPECT_EQ(row.of_types[1].cells, 1);
  EXPECT_DOUBLE_EQ(row.of_types[1].speed_um_per_min, 0.6);  // 3 sites of 2 µm in 10 min
  const std::vector<double> expected = {1 / 3., 0, 1 / 3., 1 / 3., 1 / 2., 1 / 2., 0, 0};
  EXPECT_EQ(row.contact_fractions, expected);
}

// What there is, less what there was and what came; nothing of a steady state, whose budget is not kept.
TEST(Recorder, SaysByHowMuchBooksDoNotClose) {
  Model model = model_with(kTypes);
  State state = state_from(flat(6, 1, false, false), {1, 2, 2, 0, 1, 3}, {0, 1, 2, 3}, frozen_flags(kTypes));
  for (const bool steady : {false, true}) {
    SubstanceData data;
    data.steady = steady;
    model.substances.push_back(data);
    Substance substance;
    substance.voxels = flat(3, 1, false, false);
    substance.coarsen = 2;
    substance.first_total = 1;
    substance.total = 4;
    substance.budget.secreted = 2.5;
    state.substances.push_back(substance);
  }
  const MeasureRow row = Recorder(model).record(state, {}, phase("run"));
  ASSERT_EQ(row.substances.size(), 2u);
  EXPECT_EQ(row.substances[0].total, 16);  // voxels of 4 sites
  EXPECT_EQ(row.substances[0].unbalanced, 2);
  EXPECT_EQ(row.substances[1].total, 16);
  EXPECT_TRUE(std::isnan(row.substances[1].unbalanced));
}

TEST(Recorder, FragmentsCanBeLeftOut) {
  Recorder recorder(model_with(kTypes));
  const State state = state_from(flat(3, 1, false, false), {1, 0, 1}, {0, 1}, frozen_flags(kTypes));
  EXPECT_FALSE(recorder.record(state, {}, phase(), false).fragmented.has_value());
  EXPECT_EQ(recorder.record(state, {}, phase(), true).fragmented, 1);
}

TEST(Recorder, GoesOnWithTheTracksOfAnotherRun) {
  const Model model = model_with(kTypes);
  State state = state_from(flat(3, 1, false, false), {1, 0, 0}, {0, 1}, frozen_flags(kTypes));
  Recorder first(model);
  first.record(state, {}, phase());
  Recorder second(model, {}, first.tracks().data());
  state.mcs = 10;
  state.cells.centroid[1].anchor.x += 7;
  EXPECT_DOUBLE_EQ(second.record(state, {}, phase()).motion.displacement_um, 14);
  // A state that has been seen gives the same row again.
  Recorder third(model, {}, second.tracks().data());
  const MeasureRow again = third.record(state, {}, phase());
  ASSERT_EQ(again.of_types.size(), 2u);
  EXPECT_DOUBLE_EQ(again.of_types[0].speed_um_per_min, 14 / 5.0);
}

}  // namespace
}  // namespace kiln
