// Persistence. Every cell has a direction p of its own: dH = -lambda d.p(cell of s), only where the source is
// a cell; with `retraction` dH = -lambda d.p(cell of t) where it is medium. After every MCS p turns towards
// where the cell went during the last dt MCS (Beltman et al. 2007):
//
//   p <- normalise((1 - mu) unit(X(now) - X(now - dt)) + mu p)
//
// X is the unwrapped centroid; before dt MCS have passed X(now - dt) is X(0). A cell that has not moved, or
// whose sum is zero, keeps p.
#pragma once

#include "core/math.hpp"
#include "terms/copy.hpp"
#include "terms/term.hpp"

namespace kiln::persistence {

struct Params {
  float lambda = 0;
  float mu = 0;
  float dt = 1;
  float retraction = 0;
};

KILN_HD inline float delta(const Params& p, const Copy& copy, const Vec3f& direction) {
  return -p.lambda * dot(copy.unit_step(), direction);
}

KILN_HD inline Vec3f turned(const Params& p, const Vec3f& direction, const Vec3d& now, const Vec3d& before) {
  const Vec3d moved = now - before;
  if (moved == Vec3d{}) return direction;
  const Vec3d heading = unit_vector(moved);
  const double mu = double(p.mu);
  const Vec3d old{double(direction.x), double(direction.y), double(direction.z)};
  const Vec3d sum = heading * (1.0 - mu) + old * mu;
  if (sum == Vec3d{}) return direction;
  const Vec3d next = unit_vector(sum);
  return {float(next.x), float(next.y), float(next.z)};
}

// Turns a cell at the end of MCS number `mcs`. `past` holds its past centroids: that of MCS m lies in slot m
// modulo dt. A cell without a direction stays without.
KILN_HD inline void turn(const Params& p, int64_t mcs, const Vec3d& now, Vec3f& direction, Vec3d* past) {
  if (direction == Vec3f{}) return;
  const int64_t lag = int64_t(p.dt);
  direction = turned(p, direction, now, mcs < lag ? past[0] : past[mcs % lag]);
  past[mcs % lag] = now;
}

struct Term : TermDefaults {
  static constexpr const char* kName = "persistence";
  static constexpr const char* kSummary = "keeps a cell moving the way it has been going";
  using Params = persistence::Params;
  static constexpr Parameter kParameters[] = {
      {"lambda", Kind::real, 0, kAnyEnergy, 0, true, "energy", "strength"},
      {"mu", Kind::real, 0, 1, 0.95, false, "", "memory: share of the old direction kept at every MCS"},
      {"dt", Kind::whole, 1, 10000, 15, false, "MCS", "how far back the last displacement reaches", true},
      {"retraction", Kind::flag, 0, 1, 0, false, "",
       "also where the medium takes a site: the direction of the cell that loses it"},
  };
  struct Slot {
    Params persistence;
  };
  struct Use {
    bool persistence = false;
  };
  static constexpr auto kParams = &Slot::persistence;
  static constexpr auto kUse = &Use::persistence;
  static constexpr TermScope kScope = TermScope::local;
  static constexpr bool kKeepsState = true;
  static constexpr float OwnLambdas::*kOwnLambdas = &OwnLambdas::persistence;
  static constexpr OptionalColumn kReads = OptionalColumn::direction;
  static constexpr bool acts(const Params& p) { return p.lambda != 0; }

  template <int Dim, class Physics, class World>
  KILN_HOT static bool add(const Physics& physics, World& world, const Copy& copy, float& dh) {
    const bool gains = copy.winner != kMedium;
    const Params p = params_of<Term>(physics, world, copy.steering_type(), copy.steering_cell());
    if (gains || p.retraction != 0) dh += persistence::delta(p, copy, world.direction(copy.steering_cell()));
    return true;
  }
};

}  // namespace kiln::persistence
