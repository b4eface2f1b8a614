// The serial engine beside the textbook loop, in one run: `compare [CASE SIZE]...`, the usual set without
// arguments. Both start from the same state after a burn-in; they take turns, and the ratio is the median
// over the turns, so that a machine that is busy for a while spoils both alike.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "engine/host/plain.hpp"
#include "engine/host/serial.hpp"
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

}  // namespace

int main(int argc, char** argv) {
  try {
    fmt::print("{:<14} {:>6} {:>14} {:>14} {:>8}\n", "case", "size", "serial", "textbook", "ratio");
    fmt::print("{:<14} {:>6} {:>14} {:>14}\n", "", "", "updates/s", "updates/s");
    for (int i = 1; i + 1 < argc; i += 2) compare(argv[i], std::atoi(argv[i + 1]));
    if (argc > 1) return 0;
    for (const int size : {512, 2048, 4096}) compare("sorting2d", size);
    for (const int size : {64, 128}) compare("dense3d", size);
    for (const int size : {64, 128}) compare("act3d", size);
    compare("collective3d", 64);
    compare("chemotaxis2d", 512);
    compare("lymphnode", 96);
  } catch (const std::exception& e) {
    fmt::print(stderr, "compare: {}\n", e.what());
    return 1;
  }
}
