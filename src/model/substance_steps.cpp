#include "model/substance_steps.hpp"

#include <algorithm>

#include "core/functions.hpp"

namespace kiln::substances {
namespace {

constexpr double kPerLoss = 4;        // steps: each takes a quarter of what there is at most
constexpr double kSafety = 0.9;       // of the largest explicit step
constexpr double kMostExplicit = 40;  // steps; above, supersteps are fewer passes over memory
constexpr double kSupersteps = 4;     // with one, a release rings

double rounded_up(double v) { return -floor_of(-v); }

}  // namespace

StepCount steps_for(const Rates& rates, double seconds) {
  const double steps = std::max(
      1.0, rounded_up((2.0 * rates.dimension * rates.exchange / kSafety + kPerLoss * rates.loss) * seconds));
  if (steps <= kMostExplicit) return {steps, 1, false};
  const double superstep = seconds / kSupersteps;
  const double stages =
      rounded_up(sqrt_of(rates.fastest() * superstep * kDamping / (2.0 * tanh_of(kDamping))));
  return {kSupersteps, std::max(2.0, stages), true};
}

double sweep_count(const Rates& rates, double slowest, double error) {
  const double fastest = rates.fastest(), low = std::min(slowest, fastest);
  if (fastest - low <= 1e-12 * fastest) return 1;
  const double ratio = sqrt_of(fastest / low), contraction = (ratio - 1.0) / (ratio + 1.0);
  if (!(contraction < 1)) return detail::infinity();
  return std::max(1.0, rounded_up(log_of(2.0 / error) / -log_of(contraction)));
}

double slowest_rate(const Lattice& voxels, const Properties& like, double exchange, bool has_obstacles) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  double rate = like.decay;
  for (int axis = 0; axis < voxels.dimension && !has_obstacles; ++axis) {
    if (voxels.periodic[axis]) continue;
    const auto has_value = [&](int high) {
      return like.sides[std::size_t(2 * axis + high)].kind == Side::Kind::value;
    };
    const int values = has_value(0) + has_value(1);
    if (values == 0) continue;
    // Half a wave fits between two such walls, a quarter between one and a closed one.
    const double sine = sin_of(kPi / (values == 2 ? 2.0 : 4.0) / double(voxels.size[axis]));
    rate += 4.0 * exchange * sine * sine;
  }
  return rate;
}

Rates rates_of(const SubstanceData& data, double edge) {
  double taken = 0;
  for (const SubstanceUse& use : data.uses) taken = std::max(taken, use.takes_up);
  return {data.voxels.dimension, data.like.diffusion / (edge * edge), data.like.decay + taken};
}

double steps_of_update(const SubstanceData& data, double edge, double seconds_per_mcs) {
  const Rates rates = rates_of(data, edge);
  if (!data.steady) return steps_for(rates, seconds_per_mcs * double(data.update_every)).total();
  const double slowest = slowest_rate(data.voxels, data.like, rates.exchange, data.has_obstacles());
  return sweep_count(rates, slowest, kSteadyError);
}

}  // namespace kiln::substances
