// Histograms of update attempts and maps of occupied sites.
#include "fidelity/histograms.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "measure/small_states.hpp"

namespace kiln {
namespace {

TEST(FidelityHistograms, TotalVariationByHand) {
  EXPECT_DOUBLE_EQ(total_variation({1, 2, 1}, {10, 20, 10}), 0);
  EXPECT_DOUBLE_EQ(total_variation({4, 0}, {0, 7}), 1);
  // 1/2, 1/4, 1/4 against 1/4, 1/4, 1/2.
  EXPECT_DOUBLE_EQ(total_variation({2, 1, 1}, {1, 1, 2}), 0.25);
}

TEST(FidelityHistograms, DivergenceByHand) {
  EXPECT_DOUBLE_EQ(kl_divergence({3, 5, 9}, {3, 5, 9}), 0);
  // With the halves added: 3.5/7 each against 1.5/7 and 5.5/7.
  const double a = 1.5 / 7, b = 5.5 / 7;
  EXPECT_DOUBLE_EQ(kl_divergence({3, 3}, {1, 5}), a * std::log2(2 * a) + b * std::log2(2 * b));
  EXPECT_TRUE(std::isfinite(kl_divergence({5, 0}, {0, 5})));
}

TEST(FidelityHistograms, AttemptsPerSiteAndWaitingTimes) {
  UpdateStatistics seen(3);
  seen.attempt(0, 0.0);
  seen.attempt(0, 0.25);  // a wait of 2 eighths
  seen.attempt(2, 0.5);
  seen.end_mcs();
  seen.attempt(0, 1.5);   // 10 eighths
  seen.attempt(2, 99.0);  // beyond the last bin
  seen.end_mcs();
  Histogram updates(UpdateStatistics::kCountBins), waiting(UpdateStatistics::kWaitingBins);
  updates[2] = 1;  // site 0, first MCS
  updates[0] = 2;  // site 1, both
  updates[1] = 3;
  waiting[2] = waiting[10] = waiting[63] = 1;
  EXPECT_EQ(seen.updates(), updates);
  EXPECT_EQ(seen.waiting(), waiting);
}

TEST(FidelityHistograms, RandomTargetsAreToldFromASweep) {
  constexpr Site kSites = 512;  // a power of two: times are exact
  constexpr int kMcs = 80;
  UpdateStatistics random[2]{UpdateStatistics(kSites), UpdateStatistics(kSites)}, sweep(kSites);
  for (uint32_t mcs = 0; mcs < kMcs; ++mcs) {
    for (Site i = 0; i < kSites; ++i) {
      const double time = mcs + double(i) / kSites;
      for (uint64_t seed = 0; seed < 2; ++seed)
        random[seed].attempt(Digits{draw(seed, Stream::attempts, uint64_t(i), mcs).ab()}.take(kSites), time);
      sweep.attempt(i, time);
    }
    for (auto& statistics : random) statistics.end_mcs();
    sweep.end_mcs();
  }
  // A sweep tries each site once per MCS; at random a site is tried once with probability 1/e, so the total
  // variation is 1 - 1/e. 41000 counts leave an uncertainty of about 0.0024; the bound is 5 of those.
  EXPECT_NEAR(total_variation(random[0].updates(), sweep.updates()), 1 - std::exp(-1.0), 0.012);
  // Waits of a sweep are 1 MCS, a bin that holds e^-1 (1 - e^-(1/8)) = 4.3% of the geometric ones.
  EXPECT_NEAR(total_variation(random[0].waiting(), sweep.waiting()), 1 - 0.0432, 0.005);
  // Of two samples of one distribution: the expectation is about sum sqrt(p / (pi 41000)), 0.006 for the
  // counts and 0.018 for the waits.
  EXPECT_LT(total_variation(random[0].updates(), random[1].updates()), 0.015);
  EXPECT_LT(total_variation(random[0].waiting(), random[1].waiting()), 0.035);
  EXPECT_LT(kl_divergence(random[0].waiting(), random[1].waiting()), 0.01);
  EXPECT_GT(kl_divergence(random[0].waiting(), sweep.waiting()), 4);  // log2(1 / 0.0432) = 4.5
}

TEST(FidelityHistograms, OccupiedSites) {
  const State state = test::state_from(test::flat(2, 2, true, true), {0, 1, 2, 0}, {0, 1, 1}, {false, false});
  EXPECT_EQ(occupancy_of(state), (Occupancy{false, true, true, false}));
}

TEST(FidelityHistograms, CrossEntropyByHand) {
  OccupancyMap map;
  map.add({true, true, false});
  map.add({true, false, false});
  map.add({true, true, false});
  EXPECT_EQ(map.runs(), 3);
  // Probabilities of being occupied: 3.5/4, 2.5/4, 0.5/4; the least is 3.5/4.
  const double least = -std::log2(3.5 / 4);
  EXPECT_DOUBLE_EQ(map.cross_entropy({true, true, false}),
                   -(std::log2(3.5 / 4) + std::log2(2.5 / 4) + std::log2(3.5 / 4)) / 3 - least);
  EXPECT_DOUBLE_EQ(map.cross_entropy({false, false, true}),
                   -(std::log2(0.5 / 4) + std::log2(1.5 / 4) + std::log2(0.5 / 4)) / 3 - least);
}

}  // namespace
}  // namespace kiln
