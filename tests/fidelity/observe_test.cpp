// One run of an ensemble, against the same run followed by hand.
#include "fidelity/observe.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/contacts.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

constexpr const char* kModel = R"(temperature = 10
seed = 5
[lattice]
size = [36, 36]
[types.light]
volume = {target = 40, lambda = 1}
[types.dark]
volume = {target = 40, lambda = 1}
[adhesion]
light.light = 14
dark.dark = 2
light.dark = 11
light.medium = 16
dark.medium = 16
[[initial]]
kind = "boxes"
types = {light = 0.5, dark = 0.5}
box = [6, 6]
spacing = [6, 9]
)";

const EngineOptions kSerial{"serial", "serial"};

TEST(FidelityObserve, SeesWhatARunFollowedByHandShows) {
  const Model model = parse_model(kModel, "test", ".");
  Protocol protocol;
  protocol.burn_in = 4;
  protocol.mcs = 10;
  protocol.size_every = 3;
  protocol.times = {2, 5};
  protocol.occupancy = true;
  const Observation seen = observe(model, kSerial, protocol);

  const auto engine = make_engine(model, model.phases[0].physics.view(), initial_state(model), kSerial);
  const std::vector<bool> frozen = model.frozen_types();
  double volume = 0, variance = 0;
  AttemptCounts before;
  std::size_t looked = 0;
  for (int mcs = 1; mcs <= 10; ++mcs) {
    engine->advance(1);
    if (mcs == 4) before = engine->counts();
    if (mcs == 4 || mcs == 7 || mcs == 10) {
      const SizeSummary size = size_statistics(engine->state(), frozen).all;
      volume += size.volume.mean / 3;
      variance += size.volume.sd * size.volume.sd / 3;
    }
    if (mcs == 2 || mcs == 5) {
      const Interface i = interface_by_kind(contact_matrix(engine->state(), 3), frozen);
      ASSERT_LT(looked, seen.heterotypic.size());
      EXPECT_DOUBLE_EQ(seen.heterotypic[looked], double(i.heterotypic) / double(i.heterotypic + i.homotypic));
      EXPECT_EQ(seen.occupancy[looked++], occupancy_of(engine->state()));
    }
  }
  EXPECT_EQ(looked, seen.heterotypic.size());
  EXPECT_NEAR(seen.volume_mean, volume, 1e-12);
  EXPECT_NEAR(seen.volume_sd, std::sqrt(variance), 1e-12);
  const AttemptCounts after = engine->counts();
  EXPECT_DOUBLE_EQ(seen.acceptance,
                   double(after.accepted - before.accepted) / double(after.attempts - before.attempts));
  EXPECT_TRUE(std::isnan(seen.displacement));
  EXPECT_TRUE(std::isnan(seen.order_index));
}

TEST(FidelityObserve, OneFirstStateForAllSeeds) {
  Protocol protocol;
  protocol.mcs = 1;
  protocol.times = {1};
  protocol.initial_seed = 3;
  Model model = parse_model(kModel, "test", ".");
  model.phases[0].physics.temperature = 0.001f;  // hardly anything happens, so the mixture is still there
  std::vector<double> shares;
  for (const uint64_t seed : {10, 11, 12}) {
    model.seed = seed;
    shares.push_back(observe(model, kSerial, protocol).heterotypic.at(0));
    protocol.initial_seed.reset();
    shares.push_back(observe(model, kSerial, protocol).heterotypic.at(0));
    protocol.initial_seed = 3;
  }
  EXPECT_NEAR(shares[0], shares[2], 0.1);
  EXPECT_NEAR(shares[0], shares[4], 0.1);
  EXPECT_GT(std::abs(shares[1] - shares[3]) + std::abs(shares[1] - shares[5]), 0.1);
}

TEST(FidelityObserve, DisplacementOverALag) {
  TrackData tracks;
  tracks.mcs = {0, 50, 100, 150};
  const Vec3d gone{kUndefined, kUndefined, kUndefined};
  tracks.positions = {
      {{0, 0, 0}, {1, 1, 1}}, {{5, 0, 0}, {1, 1, 1}}, {{3, 4, 0}, {1, 1, 4}}, {{5, 0, 2}, gone}};
  // 0 to 100: 5 and 3; 50 to 150: 2, and one cell that has died.
  EXPECT_DOUBLE_EQ(mean_displacement(tracks, 100), 10.0 / 3);
  EXPECT_TRUE(std::isnan(mean_displacement(tracks, 70)));
}

TEST(FidelityObserve, MotionIsFollowedAfterTheBurnIn) {
  const Model model = parse_model(
      "temperature = 10\n[lattice]\nsize = [60, 60]\n[fields.wind]\nshape = \"uniform\"\ndirection = [1, 0]\n"
      "[types.cell]\nvolume = {target = 50, lambda = 1}\nchemotaxis = {lambda = 20, field = \"wind\"}\n"
      "[adhesion]\ncell.medium = 8\n[[initial]]\nkind = \"boxes\"\ntype = \"cell\"\nbox = [7, 7]\n"
      "spacing = [20, 20]\n",
      "test", ".");
  Protocol protocol;
  protocol.burn_in = 10;
  protocol.mcs = 130;
  protocol.track_every = 20;
  protocol.lags = {20, 100, 200};
  const Observation seen = observe(model, kSerial, protocol);
  // All cells run with the wind.
  EXPECT_GT(seen.order_index, 0.9);
  EXPECT_GT(seen.displacement, 5);
  EXPECT_GT(seen.autocorrelation[0], 0.9);
  EXPECT_GT(seen.autocorrelation[1], 0.9);
  EXPECT_TRUE(std::isnan(seen.autocorrelation[2]));  // longer than the run
}

TEST(FidelityObserve, CrossEntropyAgainstMaps) {
  std::vector<Observation> map_runs(2), runs(1);
  map_runs[0].occupancy = {{true, false}, {true, true}};
  map_runs[1].occupancy = {{true, true}, {true, true}};
  runs[0].occupancy = {{true, false}, {true, false}};
  add_cross_entropy(occupancy_maps(map_runs), runs);
  // Two runs: 2 of 2 occupied is 2.5/3, 1 of 2 is 1/2, none is 1/6.
  ASSERT_EQ(runs[0].cross_entropy.size(), 2u);
  EXPECT_DOUBLE_EQ(runs[0].cross_entropy[0], -(std::log2(2.5 / 3) + std::log2(0.5)) / 2 + std::log2(2.5 / 3));
  EXPECT_DOUBLE_EQ(runs[0].cross_entropy[1],
                   -(std::log2(2.5 / 3) + std::log2(0.5 / 3)) / 2 + std::log2(2.5 / 3));
}

}  // namespace
}  // namespace kiln
