// When a schedule counts as faithful.
//
// Numbers. Both ensembles give a mean over runs; d is their relative difference and c the half width of its
// confidence interval.
//   pass       |d| <= limit and c <= resolution
//   fail       |d| > limit + c: the violation is beyond doubt
//   undecided  anything else: more runs would tell
// As resolution <= limit, a schedule that is exactly as the serial one passes with probability 1 - chance,
// and one whose difference is limit + resolution or more passes with probability at most chance.
//
// Curves and distributions. A permutation test over whole runs gives p; D is the largest difference along the
// curve, c the half width of its interval at the worst point, both in units of a scale.
//   fail       p < chance and D > limit: different, and enough to matter
//   undecided  not failed, and c > resolution, or fewer runs than p < chance takes
//   pass       anything else
//
// `chance` is the suite's false-alarm rate, shared out evenly: half of it to all numbers, half to all curves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fidelity/statistics.hpp"

namespace kiln {

inline constexpr double kFalseAlarmRate = 0.01;  // of a whole suite

enum class Verdict { pass, fail, undecided };
const char* verdict_word(Verdict verdict);

// Relative: 0.01 is 1%.
struct Tolerance {
  double limit = 0.01;
  double resolution = 0.01;  // the ensembles must be large enough to see this
};

// What is compared, with the values of every run.
struct Comparison {
  std::string scenario, point, quantity;
  bool curve = false;           // judged by the permutation test
  std::optional<double> scale;  // differences are in units of this; without: of the reference's mean
  Tolerance tolerance;
  std::vector<double> x;  // a curve's points
  std::string x_label;
  Curves reference, tested;
};

struct Judgement {
  Verdict verdict = Verdict::undecided;
  std::vector<Estimate> reference, tested;  // per point
  std::vector<double> reference_half_width, tested_half_width;
  std::size_t worst = 0;  // the point with the largest difference
  Difference difference;  // there; its half width is the widest of all points
  double p = 1;           // curves
};

// What each comparison may raise a false alarm with.
struct Chances {
  double number = kFalseAlarmRate;
  double curve = kFalseAlarmRate;
};
Chances chances_for(const std::vector<Comparison>& comparisons);

Judgement judge(const Comparison& comparison, const Chances& chances);

struct SuiteVerdict {
  int passed = 0, failed = 0, undecided = 0;
  // A quick suite may leave questions open.
  bool passes(bool undecided_allowed) const { return failed == 0 && (undecided_allowed || undecided == 0); }
};
SuiteVerdict verdict_of(const std::vector<Judgement>& judgements);

}  // namespace kiln
