// The serial engine beside the textbook loop, and diffusion beside explicit steps, in one run: `compare [CASE
// SIZE]...`, the usual set without arguments. Both start from the same state after a burn-in; they take
// turns, and the ratio is the median over the turns, so that a machine that is busy for a while spoils both
// alike.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "engine/host/plain.hpp"
#include "engine/host/serial.hpp"
#include "engine/substances/diffusion.hpp"
#include "model/file/read.hpp"
#include "simulation/bench_cases.hpp"

namespace {

using namespace kiln;

constexpr int kTurns = 5;
constexpr double kAttemptsPerTurn = 8e6;

template <class Work>
double rate_of(double site_updates, const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return site_updates / std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + long(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void compare(const std::string& name, int size) {
  const Model model = parse_model(bench_model(name, size), name, ".");
  const Physics physics = model.phases[0].physics.view();
  const double sites = double(model.lattice.sites());
  const int64_t mcs = std::max<int64_t>(1, int64_t(kAttemptsPerTurn / sites));
  const auto engine = make_engine(model, physics, initial_state(model), {"serial", ""});
  engine->advance(std::max<int64_t>(20, mcs));
  State plain = engine->state();
  AttemptCounts counts;
  std::vector<double> fast, textbook, ratios;
  for (int turn = 0; turn < kTurns; ++turn) {
    fast.push_back(rate_of(sites * double(mcs), [&] { engine->advance(mcs); }));
    textbook.push_back(rate_of(sites * double(mcs), [&] {
      for (int64_t i = 0; i < mcs; ++i) plain_mcs(plain, physics, model.seed, counts);
    }));
    ratios.push_back(fast.back() / textbook.back());
  }
  fmt::print("{:<14} {:>6} {:>14.3g} {:>14.3g} {:>8.2f}\n", name, size, median(fast), median(textbook),
             median(ratios));
  std::fflush(stdout);
}

// Explicit steps over a closed box, as one would write them down.
void plain_diffusion(std::vector<double>& c, std::vector<double>& next, int n, double exchange, int steps) {
  const auto at = [n](int x, int y, int z) {
    return (std::size_t(z) * std::size_t(n) + std::size_t(y)) * std::size_t(n) + std::size_t(x);
  };
  for (int step = 0; step < steps; ++step) {
    for (int z = 0; z < n; ++z)
      for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
          double sum = -6 * c[at(x, y, z)];
          sum += c[at(x > 0 ? x - 1 : x, y, z)] + c[at(x < n - 1 ? x + 1 : x, y, z)];
          sum += c[at(x, y > 0 ? y - 1 : y, z)] + c[at(x, y < n - 1 ? y + 1 : y, z)];
          sum += c[at(x, y, z > 0 ? z - 1 : z)] + c[at(x, y, z < n - 1 ? z + 1 : z)];
          next[at(x, y, z)] = c[at(x, y, z)] + exchange * sum;
        }
    c.swap(next);
  }
}

// A substance for one MCS with D dt/h^2 = 25, on all cores, beside the explicit loop on one.
void compare_diffusion(int n) {
  constexpr double kAlpha = 25;
  const int steps = int(std::ceil(6 * kAlpha / 0.9));
  const Lattice voxels{{n, n, n}, {false, false, false}, 3};
  std::vector<double> ours(std::size_t(voxels.sites()), 0);
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 5; ++x) ours[std::size_t(voxels.index({n / 2 + x, n / 2 + y, n / 2 + z}))] = 1;
  std::vector<double> plain = ours, next = ours;
  substances::Diffusion diffusion(voxels, 1, {kAlpha, 0, {}});
  Team team(all_threads());
  std::vector<double> fast, textbook, ratios;
  for (int turn = 0; turn < kTurns; ++turn) {
    fast.push_back(1e3 / rate_of(1, [&] { diffusion.advance(ours, {}, 1, team); }));
    textbook.push_back(1e3 / rate_of(1, [&] { plain_diffusion(plain, next, n, kAlpha / steps, steps); }));
    ratios.push_back(textbook.back() / fast.back());
  }
  double off = 0, sum = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) off += std::fabs(ours[i] - plain[i]), sum += plain[i];
  fmt::print("\n{:<14} {:>6} {:>14} {:>14} {:>8} {:>14}\n", "diffusion", "size", "ms per MCS",
             "explicit loop", "ratio", "L1 difference");
  fmt::print("{:<14} {:>6} {:>14.4g} {:>14.4g} {:>8.2f} {:>14.2g}\n",
             fmt::format("{} threads", team.members()), n, median(fast), median(textbook), median(ratios),
             off / sum);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    fmt::print("{:<14} {:>6} {:>14} {:>14} {:>8}\n", "case", "size", "serial", "textbook", "ratio");
    fmt::print("{:<14} {:>6} {:>14} {:>14}\n", "", "", "updates/s", "updates/s");
    for (int i = 1; i + 1 < argc; i += 2) {
      const std::string name = argv[i];
      const int size = std::atoi(argv[i + 1]);
      name == "diffusion" ? compare_diffusion(size) : compare(name, size);
    }
    if (argc > 1) return 0;
    for (const int size : {512, 2048, 4096}) compare("sorting2d", size);
    for (const int size : {64, 128}) compare("dense3d", size);
    for (const int size : {64, 128}) compare("act3d", size);
    compare("collective3d", 64);
    compare("chemotaxis2d", 512);
    compare("lymphnode", 96);
    compare_diffusion(128);
  } catch (const std::exception& e) {
    fmt::print(stderr, "compare: {}\n", e.what());
    return 1;
  }
}
