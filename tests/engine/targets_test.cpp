#include "engine/schedule/targets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "model/file/read.hpp"

namespace kiln {
namespace {

struct Seen {
  std::vector<int> per_site;
  double earliest = 1, latest = 0;
};

Seen seen_in(const Model& model, const std::string& schedule, int64_t mcs) {
  Seen seen{std::vector<int>(std::size_t(model.lattice.sites()))};
  for (int64_t m = 0; m < mcs; ++m)
    for_each_target(model, schedule, m, [&](Site site, double time) {
      seen.per_site.at(std::size_t(site)) += 1;
      seen.earliest = std::min(seen.earliest, time);
      seen.latest = std::max(seen.latest, time);
    });
  return seen;
}

int64_t sum(const Seen& seen) {
  return std::accumulate(seen.per_site.begin(), seen.per_site.end(), int64_t(0));
}

TEST(Targets, AreOnePerSiteAndMcsInEverySchedule) {
  const Model model = parse_model("[lattice]\nsize = [16, 24]\n", "m.toml", ".");
  for (const char* schedule : {"serial", "tiles", "checkerboard"}) {
    const Seen seen = seen_in(model, schedule, 200);
    // Tiles: 16 = 5 x 3 + 1, so a round has 5 x 8 tiles and the last MCS may lack part of one.
    EXPECT_NEAR(double(sum(seen)), 200.0 * 16 * 24, 40) << schedule;
    EXPECT_GE(seen.earliest, 0) << schedule;
    EXPECT_LT(seen.latest, 1) << schedule;
    EXPECT_GT(seen.latest, 0.9) << schedule;
    // 200 tries per site; the farthest of 384 sites is more than 6 standard deviations off with probability
    // 1e-6.
    for (const int count : seen.per_site) EXPECT_LT(std::abs(count - 200), 6 * std::sqrt(200.0)) << schedule;
  }
}

TEST(Targets, KeepToClosedAndThinLattices) {
  const Model model = parse_model(
      "[lattice]\nsize = [7, 2, 5]\nboundary = [\"closed\", \"closed\", \"periodic\"]\n", "m.toml", ".");
  const Seen seen = seen_in(model, "tiles", 1000);
  // Rounds on closed axes have more or fewer tiles by chance: 1000 MCS are 70,000 tries, give or take.
  EXPECT_NEAR(double(sum(seen)), 70'000, 1'500);
  for (const int count : seen.per_site) EXPECT_NEAR(count, 1000, 6 * std::sqrt(1000.0));
}

}  // namespace
}  // namespace kiln
