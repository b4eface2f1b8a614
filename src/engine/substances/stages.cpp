#include "engine/substances/stages.hpp"

#include <algorithm>

#include "core/functions.hpp"

namespace kiln::substances {
namespace {

constexpr double kPerLoss = 4;     // steps: each takes a quarter of what there is at most
constexpr double kSafety = 0.9;    // of the largest explicit step
constexpr double kMostSteps = 40;  // explicit ones; above, supersteps are fewer passes over memory
constexpr int kSupersteps = 4;     // with one, a release rings
constexpr double kDamping = 3;

int64_t rounded_up(double v) { return int64_t(-floor_of(-v)); }

Stages explicit_steps(int64_t count, double seconds) {
  return {{Stage{1.0, seconds / double(count), 0.0, false}}, int(count)};
}

// The stages of a recurrence T_j = 2 w0 T_(j-1) - T_(j-2) whose j-th value is divided by T_j(w0), and where
// every stage adds w1 seconds of change.
std::vector<Stage> chebyshev(double w0, double w1, int stages, double seconds) {
  std::vector<Stage> result{{1.0, w1 / w0 * seconds, 0.0, false}};
  double before = 1.0, now = w0;  // T_(j-2), T_(j-1)
  for (int j = 2; j <= stages; ++j) {
    const double next = 2.0 * w0 * now - before;
    result.push_back({2.0 * w0 * now / next, 2.0 * w1 * now / next * seconds, -(before / next), true});
    before = now;
    now = next;
  }
  return result;
}

}  // namespace

Stages stages_for(const Rates& rates, double seconds) {
  const double fastest = 4.0 * rates.dimension * rates.exchange + rates.loss;
  const int64_t steps = std::max<int64_t>(
      1, rounded_up((2.0 * rates.dimension * rates.exchange / kSafety + kPerLoss * rates.loss) * seconds));
  if (double(steps) <= kMostSteps) return explicit_steps(steps, seconds);
  const double superstep = seconds / kSupersteps, tanh_q = tanh_of(kDamping);
  const int64_t stages =
      std::max<int64_t>(2, rounded_up(sqrt_of(fastest * superstep * kDamping / (2.0 * tanh_q))));
  const double angle = kDamping / double(stages), up = exp_of(angle), down = 1.0 / up;
  const double w0 = (up + down) / 2.0, w1 = (up - down) / 2.0 / (double(stages) * tanh_q);
  return {chebyshev(w0, w1, int(stages), superstep), kSupersteps};
}

// Polynomials of least size on [slowest, fastest] that are 1 at 0.
Stages sweeps_for(const Rates& rates, double slowest, double error) {
  const double fastest = 4.0 * rates.dimension * rates.exchange + rates.loss;
  const double low = std::min(slowest, fastest), spread = fastest - low;
  if (spread <= 1e-12 * fastest) return {{Stage{1.0, 1.0 / fastest, 0.0, false}}, 1};
  const double w0 = (fastest + low) / spread, w1 = 2.0 / spread;
  const double ratio = sqrt_of(fastest / low), contraction = (ratio - 1.0) / (ratio + 1.0);
  const auto sweeps = int(std::max<int64_t>(1, rounded_up(log_of(2.0 / error) / -log_of(contraction))));
  return {chebyshev(w0, w1, sweeps, 1.0), 1};
}

}  // namespace kiln::substances
