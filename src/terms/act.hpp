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
#include "terms/term.hpp"

namespace kiln::act {

struct Params {
  float lambda = 0;
  float max = 0;
  float start_full = 0;
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

// The rule, in steps that engines may take apart: dh is the sum of all other terms. The means cost most, so
// one is left out where even its most favourable value could not save the copy. (Rounding is monotone, so
// leaving it out never changes the verdict.)
KILN_HD inline float lowest(const Params& p) { return delta(p, largest_mean(p), 0.0f); }
KILN_HD inline bool may_accept(const Params& p, float dh, float threshold) {
  return dh + lowest(p) <= threshold;
}
KILN_HD inline bool may_accept(const Params& p, float dh, float mean_at_source, float threshold) {
  return dh + delta(p, mean_at_source, 0.0f) <= threshold;
}

struct Term : TermDefaults {
  static constexpr const char* kName = "act";
  static constexpr const char* kSummary = "lets a cell push forward where it has just advanced (Act model)";
  using Params = act::Params;
  static constexpr Parameter kParameters[] = {
      {"lambda", Kind::real, 0, kAnyEnergy, 0, true, "energy", "strength of the push"},
      {"max", Kind::whole, 1, 65535, 0, true, "MCS", "Max: how long a site remembers that it was taken",
       true},
      {"start_full", Kind::flag, 0, 1, 0, false, "", "sites of the first cells start at Max instead of 0",
       true},
  };
  struct Slot {
    Params act;
  };
  struct Use {
    bool act = false;
  };
  static constexpr auto kParams = &Slot::act;
  static constexpr auto kUse = &Use::act;
  static constexpr TermScope kScope = TermScope::bounded;
  static constexpr bool kKeepsState = true;
  static constexpr float OwnLambdas::*kOwnLambdas = &OwnLambdas::act;
  static constexpr int kReach = 2;  // the neighbours of the source, too
  static constexpr bool acts(const Params& p) { return p.max != 0; }

  // The lowest dH that it can have for a copy steered by this type.
  KILN_HOT static float lowest(const Params& p) { return p.lambda != 0 ? act::lowest(p) : 0.0f; }
  // Whether dh and Act together stay below the threshold.
  template <class World>
  KILN_HOT static bool accepts(const Params& p, World& world, float dh, float threshold) {
    if (p.lambda == 0) return dh <= threshold;
    if (!may_accept(p, dh, threshold)) return false;
    const float at_source = world.mean_act_at_source();
    if (!may_accept(p, dh, at_source, threshold)) return false;
    return dh + act::delta(p, at_source, world.mean_act_at_target()) <= threshold;
  }
  // About a tenth of the push is at work in a typical attempt.
  static double drive(const Params& p) { return 0.1 * double(p.lambda); }
};

}  // namespace kiln::act
