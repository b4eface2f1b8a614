#include "fidelity/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/random.hpp"
#include "measure/statistics.hpp"

namespace kiln {
namespace {

// The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method.
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / away_from_zero(1 - (a + b) * x / (a + 1)), result = d;
  for (int m = 1; m < 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double change = 1;
    for (const double term : {even, odd}) {
      d = 1 / away_from_zero(1 + term * d);
      c = away_from_zero(1 + term / c);
      change = c * d;
      result *= change;
    }
    if (std::abs(change - 1) < 1e-15) break;
  }
  return result;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  // Each side converges fast only below its mean.
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

// Welch and Satterthwaite's degrees of freedom of the difference of two means.
double welch_degrees(const Estimate& a, const Estimate& b) {
  const double va = a.error * a.error, vb = b.error * b.error;
  return (va + vb) * (va + vb) / (va * va / double(a.count - 1) + vb * vb / double(b.count - 1));
}

// The largest |mean of the first runs - mean of the others| over the points. Points are scaled already.
double largest_gap(const Curves& pooled, const std::vector<std::size_t>& order, std::size_t first,
                   const std::vector<double>& totals) {
  double largest = 0;
  for (std::size_t point = 0; point < totals.size(); ++point) {
    double sum = 0;
    for (std::size_t i = 0; i < first; ++i) sum += pooled[order[i]][point];
    const double others = (totals[point] - sum) / double(order.size() - first);
    largest = std::max(largest, std::abs(sum / double(first) - others));
  }
  return largest;
}

// Every point in units of its standard deviation over all runs, around its mean; a point where nothing varies
// becomes 0.
void standardise(Curves& pooled) {
  for (std::size_t point = 0; point < pooled.front().size(); ++point) {
    const Estimate all = estimate_of(values_at(pooled, point));
    const double sd = all.error * std::sqrt(double(all.count));
    for (auto& curve : pooled) curve[point] = sd > 0 ? (curve[point] - all.mean) / sd : 0;
  }
}

}  // namespace

Estimate estimate_of(const std::vector<double>& values) {
  Estimate result{int64_t(values.size()), kUndefined, kUndefined};
  if (values.empty()) return result;
  double sum = 0, squares = 0;
  for (const double value : values) sum += value;
  result.mean = sum / double(values.size());
  if (values.size() < 2) return result;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.error = std::sqrt(squares / double(values.size() - 1) / double(values.size()));
  return result;
}

double student_two_sided(double t, double degrees) {
  return incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double student_quantile(double chance, double degrees) {
  double low = 0, high = 1;
  while (student_two_sided(high, degrees) > chance && high < 1e100) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_two_sided(middle, degrees) > chance ? low : high) = middle;
  }
  return (low + high) / 2;
}

double half_width(const Estimate& estimate, double chance) {
  if (estimate.count < 2) return std::numeric_limits<double>::infinity();
  return estimate.error * student_quantile(chance, double(estimate.count - 1));
}

Difference difference_of(const Estimate& reference, const Estimate& tested, double scale, double chance) {
  Difference result;
  result.value = (tested.mean - reference.mean) / std::abs(scale);
  const double error = std::hypot(reference.error, tested.error);
  if (reference.count < 2 || tested.count < 2 || std::isnan(error))
    result.half_width = std::numeric_limits<double>::infinity();
  else if (error > 0)
    result.half_width = error / std::abs(scale) * student_quantile(chance, welch_degrees(reference, tested));
  return result;
}

std::vector<double> values_at(const Curves& curves, std::size_t point) {
  std::vector<double> values;
  for (const auto& curve : curves) values.push_back(curve[point]);
  return values;
}

double permutation_test(const Curves& reference, const Curves& tested, int deals, uint64_t seed) {
  if (reference.empty() || tested.empty()) return 1;
  Curves pooled = reference;
  pooled.insert(pooled.end(), tested.begin(), tested.end());
  standardise(pooled);
  std::vector<double> totals(pooled.front().size());
  for (const auto& curve : pooled)
    for (std::size_t point = 0; point < totals.size(); ++point) totals[point] += curve[point];

  std::vector<std::size_t> order(pooled.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  // Deals that only reorder runs within an ensemble must count as equal despite rounding.
  const double found = largest_gap(pooled, order, reference.size(), totals) * (1 - 1e-9);

  std::mt19937_64 random(seed);  // its output is fixed by the standard, unlike that of std::shuffle
  int as_extreme = 0;
  for (int deal = 0; deal < deals; ++deal) {
    for (std::size_t i = 0; i < reference.size(); ++i)
      std::swap(order[i], order[i + Digits{random()}.take(uint32_t(order.size() - i))]);
    if (largest_gap(pooled, order, reference.size(), totals) >= found) ++as_extreme;
  }
  return double(1 + as_extreme) / double(1 + deals);
}

double smallest_p(int64_t reference_runs, int64_t tested_runs) {
  double splits = 1;  // ways to choose the reference runs among all
  for (int64_t i = 1; i <= reference_runs; ++i) splits *= double(tested_runs + i) / double(i);
  // With equal sizes, swapping the two ensembles gives the same statistic.
  return (reference_runs == tested_runs ? 2 : 1) / splits;
}

}  // namespace kiln
