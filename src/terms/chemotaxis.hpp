// Chemotaxis. A vector field C biases copies: dH = -lambda d.C(s), d the unit vector of the copy from s to t.
// Positive lambda moves cells along the field. lambda is the source's, or the target's where the source is
// medium. (The paper prints the other sign; its software uses this one.)
#pragma once

#include "terms/copy.hpp"
#include "terms/parameter.hpp"

namespace kiln::chemotaxis {

inline constexpr const char* kName = "chemotaxis";
inline constexpr const char* kSummary = "moves a cell along a vector field";

struct Params {
  float lambda = 0;
  float field = 0;  // index of the field
};

inline constexpr Parameter kParameters[] = {
    {"lambda", Kind::real, -kAnyEnergy, kAnyEnergy, 0, true, "energy",
     "strength; negative moves against the field"},
    {"field", Kind::field, 0, 0, 0, true, "", "name of a field in [fields]"},
};

KILN_HD inline float delta(const Params& p, const Copy& copy, const Vec3f& field_at_source) {
  return -p.lambda * dot(copy.unit_step(), field_at_source);
}

}  // namespace kiln::chemotaxis
