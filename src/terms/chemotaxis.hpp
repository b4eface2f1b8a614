// Chemotaxis. A vector field C biases copies: dH = -lambda d.C(s), d the unit vector of the copy from s to t.
// Positive lambda moves cells along the field. lambda is the source's, or the target's where the source is
// medium. (The paper prints the other sign; its software uses this one.)
#pragma once

#include "terms/copy.hpp"
#include "terms/term.hpp"

namespace kiln::chemotaxis {

struct Params {
  float lambda = 0;
  float field = 0;  // index of the field
};

KILN_HD inline float delta(const Params& p, const Copy& copy, const Vec3f& field_at_source) {
  return -p.lambda * dot(copy.unit_step(), field_at_source);
}

struct Term : TermDefaults {
  static constexpr const char* kName = "chemotaxis";
  static constexpr const char* kSummary = "moves a cell along a vector field";
  using Params = chemotaxis::Params;
  static constexpr Parameter kParameters[] = {
      {"lambda", Kind::real, -kAnyEnergy, kAnyEnergy, 0, true, "energy",
       "strength; negative moves against the field"},
      {"field", Kind::field, 0, 0, 0, true, "", "name of a field in [fields]"},
  };
  struct Slot {
    Params chemotaxis;
  };
  struct Use {
    bool chemotaxis = false;
  };
  static constexpr auto kParams = &Slot::chemotaxis;
  static constexpr auto kUse = &Use::chemotaxis;
  static constexpr TermScope kScope = TermScope::local;
  static constexpr bool acts(const Params& p) { return p.lambda != 0; }

  template <int Dim, class Physics, class World>
  KILN_HOT static bool add(const Physics& physics, World&, const Copy& copy, float& dh) {
    const Params& p = physics.types[copy.steering_type()].chemotaxis;
    if (p.lambda != 0)
      dh += chemotaxis::delta(p, copy, physics.field_at(int(p.field), copy.source));
    return true;
  }
};

}  // namespace kiln::chemotaxis
