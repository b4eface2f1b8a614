// How two ensembles of independent runs are compared: intervals for the difference of their means, and a test
// of whether two curves are the same. Every value here stands for one whole run, so values are independent.
#pragma once

#include <cstdint>
#include <vector>

namespace kiln {

// The mean over runs and its standard error; the error is undefined for fewer than two runs.
struct Estimate {
  int64_t count = 0;
  double mean = 0;
  double error = 0;
};
Estimate estimate_of(const std::vector<double>& values);

// The probability that Student's t with `degrees` degrees of freedom lies beyond +-t.
double student_two_sided(double t, double degrees);

// The t that Student's t exceeds in size with probability `chance` (0 < chance < 1), on both sides together.
double student_quantile(double chance, double degrees);

// What is added to and taken from `mean` for an interval that misses the truth with probability `chance`.
double half_width(const Estimate& estimate, double chance);

// (tested - reference) / scale and the half width of its interval (Welch: the variances need not be equal).
struct Difference {
  double value = 0;
  double half_width = 0;
};
Difference difference_of(const Estimate& reference, const Estimate& tested, double scale, double chance);

// [run][point]: a curve per run, all of equal length. A number is a curve of one point.
using Curves = std::vector<std::vector<double>>;

// The values of all runs at one point.
std::vector<double> values_at(const Curves& curves, std::size_t point);

// Permutation test of whether two sets of curves come from the same source. The statistic is the largest
// difference of the means over the points, each in units of the pooled standard deviation; it is compared
// with what it becomes where runs are dealt out anew, `deals` times. Returns (1 + deals at least as extreme)
// / (1 + deals): if the source is the same, this is at most p with probability at most p, whatever the
// distribution.
double permutation_test(const Curves& reference, const Curves& tested, int deals, uint64_t seed);

// The smallest value that permutation_test can be expected to give for ensembles of these sizes: below it, a
// false-alarm rate leaves the test without power.
double smallest_p(int64_t reference_runs, int64_t tested_runs);

}  // namespace kiln
