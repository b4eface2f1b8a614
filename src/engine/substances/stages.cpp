#include "engine/substances/stages.hpp"

#include <algorithm>

#include "core/functions.hpp"

namespace kiln::substances {
namespace {

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
  const StepCount count = steps_for(rates, seconds);
  if (!count.chebyshev) return {{Stage{1.0, seconds / count.steps, 0.0, false}}, int(count.steps)};
  const double angle = kDamping / count.stages, up = exp_of(angle), down = 1.0 / up;
  const double w0 = (up + down) / 2.0, w1 = (up - down) / 2.0 / (count.stages * tanh_of(kDamping));
  return {chebyshev(w0, w1, int(count.stages), seconds / count.steps), int(count.steps)};
}

// Polynomials of least size on [slowest, fastest] that are 1 at 0.
Stages sweeps_for(const Rates& rates, double slowest, double error) {
  const double fastest = rates.fastest(), low = std::min(slowest, fastest), spread = fastest - low;
  if (spread <= 1e-12 * fastest) return {{Stage{1.0, 1.0 / fastest, 0.0, false}}, 1};
  return {chebyshev((fastest + low) / spread, 2.0 / spread, int(sweep_count(rates, slowest, error)), 1.0), 1};
}

}  // namespace kiln::substances
