// Act (Niculescu, Textor, de Boer 2015). A site that a cell takes remembers it: its Act value becomes Max of
// the cell's type and falls by 1 between two MCS, down to 0. Copies out of fresh regions into stale ones are
// favoured:
//
//   dH = -(lambda / Max) (GM(s) - GM(t))
//
// GM is the geometric mean of Act over the site itself and those Moore neighbours that belong to the same
// cell; GM of medium is 0. lambda and Max are the source's type's, or the target's where the source is
// medium.
//
// The mean is taken in logarithms, as integers, so it does not depend on the order of the neighbours.
#pragma once

#include "core/math.hpp"
#include "terms/neighbours.hpp"
#include "terms/parameter.hpp"

namespace kiln::act {

inline constexpr const char* kName = "act";
inline constexpr const char* kSummary = "lets a cell push forward where it has just advanced (Act model)";

struct Params {
  float lambda = 0;
  float max = 0;
  float start_full = 0;
};

inline constexpr Parameter kParameters[] = {
    {"lambda", Kind::real, 0, kAnyEnergy, 0, true, "energy", "strength of the push"},
    {"max", Kind::whole, 1, 65535, 0, true, "MCS", "Max: how long a site remembers that it was taken"},
    {"start_full", Kind::flag, 0, 1, 0, false, "", "sites of the first cells start at Max instead of 0"},
};

// log2 of a positive Act value in units of 2^-20: 27 of them fit an int32_t.
inline constexpr float kLogUnit = 0x1p-20f;
KILN_HD inline int32_t log_units(ActValue value) { return int32_t(log2_of(double(value)) * 0x1p20 + 0.5); }

// The mean of `count` values whose log_units add up to `sum`.
KILN_HD inline float mean_of_logs(int32_t sum, int count) {
  return exp2_of(float(sum) * kLogUnit / float(count));
}

// GM of a site of `cell`, whose own value is `own`; `values` holds the Act values of the neighbours' lanes,
// and `logs[value]` is log_units(value).
template <class Neighbours>
KILN_HD inline float geometric_mean(const Neighbours& neighbours, const uint32_t* values, CellId cell,
                                    ActValue own, const int32_t* logs) {
  if (cell == kMedium || own == 0) return 0.0f;
  int stale = 0;  // one 0 makes the mean 0, and most sites have one
  int count = 1;
  for (int lane = 0; lane < neighbours.lanes(); ++lane) {
    const int same = neighbours.id(lane) == cell ? 1 : 0;
    count += same;
    stale += values[lane] == 0 ? same : 0;
  }
  if (stale > 0) return 0.0f;
  int32_t sum = logs[own];
  for (int lane = 0; lane < neighbours.lanes(); ++lane)
    if (neighbours.id(lane) == cell) sum += logs[values[lane]];
  return mean_of_logs(sum, count);
}

// No mean exceeds Max, but for rounding.
KILN_HD inline float largest_mean(const Params& p) { return p.max * 1.0001f; }

KILN_HD inline float delta(const Params& p, float mean_at_source, float mean_at_target) {
  return -(p.lambda / p.max) * (mean_at_source - mean_at_target);
}

}  // namespace kiln::act
