#include "fidelity/verdict.hpp"

#include <algorithm>
#include <cmath>

namespace kiln {
namespace {

constexpr int kDeals = 100'000;  // resolves p down to 1e-5, far below any share of the false-alarm rate
constexpr uint64_t kDealSeed = 20'240'601;

Verdict verdict_on_number(const Difference& d, const Tolerance& tolerance) {
  const double size = std::abs(d.value);
  if (size > tolerance.limit + d.half_width) return Verdict::fail;
  return size <= tolerance.limit && d.half_width <= tolerance.resolution ? Verdict::pass : Verdict::undecided;
}

Verdict verdict_on_curve(const Judgement& found, const Comparison& comparison, double chance) {
  const Tolerance& tolerance = comparison.tolerance;
  if (found.p < chance && std::abs(found.difference.value) > tolerance.limit) return Verdict::fail;
  const bool has_power =
      smallest_p(int64_t(comparison.reference.size()), int64_t(comparison.tested.size())) < chance;
  return has_power && found.difference.half_width <= tolerance.resolution ? Verdict::pass
                                                                          : Verdict::undecided;
}

// A run that could not be measured (all cells gone) must not slip through as "no difference".
bool all_finite(const Curves& curves) {
  for (const auto& curve : curves)
    for (const double value : curve)
      if (!std::isfinite(value)) return false;
  return true;
}

}  // namespace

const char* verdict_word(Verdict verdict) {
  return verdict == Verdict::pass ? "pass" : verdict == Verdict::fail ? "FAIL" : "undecided";
}

Chances chances_for(const std::vector<Comparison>& comparisons) {
  const auto curves =
      std::count_if(comparisons.begin(), comparisons.end(), [](const Comparison& c) { return c.curve; });
  const auto numbers = std::ptrdiff_t(comparisons.size()) - curves;
  return {kFalseAlarmRate / 2 / double(std::max<std::ptrdiff_t>(numbers, 1)),
          kFalseAlarmRate / 2 / double(std::max<std::ptrdiff_t>(curves, 1))};
}

Judgement judge(const Comparison& comparison, const Chances& chances) {
  Judgement result;
  const std::size_t points = comparison.reference.empty() ? 0 : comparison.reference.front().size();
  const double chance = (comparison.curve ? chances.curve : chances.number) / double(points);
  double widest = 0;
  for (std::size_t point = 0; point < points; ++point) {
    const Estimate reference = estimate_of(values_at(comparison.reference, point));
    const Estimate tested = estimate_of(values_at(comparison.tested, point));
    const double scale = comparison.scale.value_or(reference.mean);
    const Difference d = difference_of(reference, tested, scale, chance);
    if (point == 0 || std::abs(d.value) > std::abs(result.difference.value)) {
      result.difference = d;
      result.worst = point;
    }
    widest = std::max(widest, d.half_width);
    result.reference.push_back(reference);
    result.tested.push_back(tested);
    result.reference_half_width.push_back(half_width(reference, 0.05));
    result.tested_half_width.push_back(half_width(tested, 0.05));
  }
  result.difference.half_width = widest;
  if (points == 0 || !all_finite(comparison.reference) || !all_finite(comparison.tested)) {
    result.verdict = Verdict::fail;
  } else if (comparison.curve) {
    result.p = permutation_test(comparison.reference, comparison.tested, kDeals, kDealSeed);
    result.verdict = verdict_on_curve(result, comparison, chances.curve);
  } else {
    result.verdict = verdict_on_number(result.difference, comparison.tolerance);
  }
  return result;
}

SuiteVerdict verdict_of(const std::vector<Judgement>& judgements) {
  SuiteVerdict result;
  for (const Judgement& judgement : judgements) {
    if (judgement.verdict == Verdict::pass) ++result.passed;
    if (judgement.verdict == Verdict::fail) ++result.failed;
    if (judgement.verdict == Verdict::undecided) ++result.undecided;
  }
  return result;
}

}  // namespace kiln
