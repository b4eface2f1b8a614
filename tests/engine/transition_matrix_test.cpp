// The chain, compared with its exact law. A closed row of ten sites with two cells and medium has 3^10
// states; the probability of every one-attempt transition is written down from the definition of the model
// (not from Kiln's terms), and the distribution after six MCS, sixty attempts, follows by multiplication.
// Many short runs of each engine are then tested against it. Ten sites make three blocks, the last one cut,
// so that jumps are tested, too.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "engine/host/plain.hpp"
#include "engine/host/serial.hpp"
#include "support/small_world.hpp"

namespace kiln {
namespace {

constexpr int kSites = 10, kStates = 59049, kMcs = 6, kRuns = 120000;
constexpr double kTemperature = 6, kVolumeTarget = 3, kVolumeLambda = 0.75, kPerimeterTarget = 2,
                 kPerimeterLambda = 0.5, kJCells = 1.5, kJMedium = 2.25;
using Row = std::array<uint8_t, kSites>;
constexpr Row kStart = {1, 1, 1, 0, 0, 0, 0, 0, 0, 2};

int code_of(const Row& row) {
  int code = 0;
  for (const uint8_t id : row) code = code * 3 + id;
  return code;
}
Row row_of(int code) {
  Row row{};
  for (int i = kSites - 1; i >= 0; --i, code /= 3) row[std::size_t(i)] = uint8_t(code % 3);
  return row;
}

double energy_of(const Row& row) {
  double h = 0;
  int volume[3] = {}, perimeter[3] = {};
  for (std::size_t i = 0; i < kSites; ++i) {
    volume[row[i]] += 1;
    if (i + 1 == kSites || row[i] == row[i + 1]) continue;
    h += row[i] == 0 || row[i + 1] == 0 ? kJMedium : kJCells;
    perimeter[row[i]] += 1;
    perimeter[row[i + 1]] += 1;
  }
  for (int cell = 1; cell <= 2; ++cell)
    h += kVolumeLambda * std::pow(volume[cell] - kVolumeTarget, 2) +
         kPerimeterLambda * std::pow(perimeter[cell] - kPerimeterTarget, 2);
  return h;
}

// The distribution after kMcs MCS, from kStart.
std::vector<double> exact_distribution(double temperature) {
  std::vector<double> energy(kStates), now(kStates), next(kStates);
  for (int s = 0; s < kStates; ++s) energy[std::size_t(s)] = energy_of(row_of(s));
  now[std::size_t(code_of(kStart))] = 1;
  for (int attempt = 0; attempt < kMcs * kSites; ++attempt) {
    std::fill(next.begin(), next.end(), 0.0);
    for (int s = 0; s < kStates; ++s) {
      const double here = now[std::size_t(s)];
      if (here == 0) continue;
      double stay = here;
      const Row row = row_of(s);
      for (int t = 0; t < kSites; ++t)
        for (const int source : {t - 1, t + 1}) {
          if (source < 0 || source >= kSites || row[std::size_t(source)] == row[std::size_t(t)]) continue;
          Row changed = row;
          changed[std::size_t(t)] = row[std::size_t(source)];
          const int to = code_of(changed);
          const double dh = energy[std::size_t(to)] - energy[std::size_t(s)];
          // One of ten targets, one of eight places for the source; the other six lie beyond the walls.
          const double p = here / kSites / 8 * (dh < 0 ? 1 : std::exp(-dh / temperature));
          next[std::size_t(to)] += p;
          stay -= p;
        }
      next[std::size_t(s)] += stay;
    }
    now.swap(next);
  }
  return now;
}

test::SmallWorld row_world() {
  test::SmallWorld w;
  w.state.lattice = {{kSites, 1, 1}, {false, false, false}, 2};
  w.state.ids = HugeVector<CellId>(kSites);
  std::copy(kStart.begin(), kStart.end(), w.state.ids.begin());
  w.state.cells.add(0);
  w.state.cells.add(1);
  w.state.cells.add(1);
  w.types.resize(2);
  w.types[1].volume = {float(kVolumeTarget), float(kVolumeLambda)};
  w.types[1].perimeter = {float(kPerimeterTarget), float(kPerimeterLambda)};
  w.j = {0, kJMedium, kJMedium, kJCells};
  w.temperature = float(kTemperature);
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  w.recount();
  return w;
}

int code_of(const State& state) {
  Row row{};
  for (std::size_t i = 0; i < kSites; ++i) row[i] = uint8_t(state.ids[i]);
  return code_of(row);
}

// Chi-square over the states expected at least 20 times, the rest pooled, as a standard normal deviate
// (Wilson and Hilferty). Refused above 4.75: false alarm once in a million.
double deviate(const std::map<int, int>& seen, const std::vector<double>& expected) {
  double chi = 0, rest_expected = kRuns, rest_seen = kRuns;
  int bins = 0;
  for (int s = 0; s < kStates; ++s) {
    const double e = expected[std::size_t(s)] * kRuns;
    if (e < 20) continue;
    const auto found = seen.find(s);
    const double o = found == seen.end() ? 0 : found->second;
    chi += (o - e) * (o - e) / e;
    rest_expected -= e;
    rest_seen -= o;
    ++bins;
  }
  chi += (rest_seen - rest_expected) * (rest_seen - rest_expected) / rest_expected;
  const double k = bins;  // bins + 1 classes, one constraint
  EXPECT_GT(bins, 30);
  return (std::cbrt(chi / k) - (1 - 2 / (9 * k))) / std::sqrt(2 / (9 * k));
}
constexpr double kRefusedAbove = 4.75;

std::map<int, int> sample(Jumping jumping) {
  test::SmallWorld w = row_world();
  const Physics physics = w.physics();
  std::map<int, int> seen;
  for (uint64_t run = 0; run < kRuns; ++run) {
    SerialEngine<2> engine(w.state, physics, run, jumping);
    engine.advance(kMcs);
    ++seen[code_of(engine.state())];
  }
  return seen;
}

TEST(TransitionMatrix, TheTextbookLoopFollowsTheLaw) {
  test::SmallWorld w = row_world();
  const Physics physics = w.physics();
  std::map<int, int> seen;
  for (uint64_t run = 0; run < kRuns; ++run) {
    State state = w.state;
    AttemptCounts counts;
    for (int mcs = 0; mcs < kMcs; ++mcs) plain_mcs(state, physics, run, counts);
    ++seen[code_of(state)];
  }
  EXPECT_LT(deviate(seen, exact_distribution(kTemperature)), kRefusedAbove);
}

TEST(TransitionMatrix, TheFastEngineFollowsTheLaw) {
  EXPECT_LT(deviate(sample(Jumping::never), exact_distribution(kTemperature)), kRefusedAbove);
}

TEST(TransitionMatrix, JumpsFollowTheLaw) {
  EXPECT_LT(deviate(sample(Jumping::always), exact_distribution(kTemperature)), kRefusedAbove);
}

TEST(TransitionMatrix, TheTestSeesATemperatureThatIsFivePercentOff) {
  EXPECT_GT(deviate(sample(Jumping::always), exact_distribution(kTemperature * 1.05)), kRefusedAbove);
}

}  // namespace
}  // namespace kiln
