// Chemotaxis, along a vector field C or a substance c. Positive lambda moves cells along the field, or to
// where there is more of the substance.
//
//   field      dH = -lambda d.C(s), d the unit vector of the copy from s to t. lambda is the source's, or the
//              target's where the source is medium. (The paper prints the other sign; its software uses this
//              one.)
//   substance  dH = -lambda (f(c(t)) - f(c(s))). f is the cell's response, and c what is read between voxels.
#pragma once

#include "core/math.hpp"
#include "terms/copy.hpp"
#include "terms/term.hpp"

namespace kiln::chemotaxis {

enum class Response { linear, saturated, saturated_linear, logarithmic };
enum class Who { winner_or_loser, winner, both };
enum class At { all, medium };

struct Params {
  float lambda = 0;
  float field = 0;       // index of the field; -1: none
  float substance = -1;  // index of the substance; -1: none
  float response = 0;    // Response
  float half = 1;
  float who = 0;  // Who
  float at = 0;   // At
};

KILN_HD inline float delta(const Params& p, const Copy& copy, const Vec3f& field_at_source) {
  return -p.lambda * dot(copy.unit_step(), field_at_source);
}

KILN_HD inline float response_to(const Params& p, float c) {
  const Response response = Response(as_index(p.response));
  if (response == Response::linear) return c;
  if (c < 0) c = 0;  // a trace of it, beside a sudden release
  if (response == Response::saturated) return c / (p.half + c);
  const float share = c / p.half;
  if (response == Response::saturated_linear) return c / (1.0f + share);
  return 0.69314718055994531f * log2_of(1.0f + share);
}

// Whether a cell that wins or loses the site has a say.
KILN_HD inline bool steers(const Params& p, const Copy& copy, bool wins) {
  if (p.lambda == 0) return false;
  if (At(as_index(p.at)) == At::medium && copy.winner != kMedium && copy.loser != kMedium) return false;
  const Who who = Who(as_index(p.who));
  return wins || who == Who::both || (who == Who::winner_or_loser && copy.winner == kMedium);
}

struct Term : TermDefaults {
  static constexpr const char* kName = "chemotaxis";
  static constexpr const char* kSummary = "moves a cell along a vector field or a substance's gradient";
  using Params = chemotaxis::Params;
  static constexpr Parameter kParameters[] = {
      {"lambda", Kind::real, -kAnyEnergy, kAnyEnergy, 0, true, "energy",
       "strength; negative moves the other way"},
      {"field", Kind::field, 0, 0, 0, false, "", "name of a field in [fields]; or"},
      {"substance", Kind::substance, 0, 0, 0, false, "", "name of a substance in [substances]"},
      {"response", Kind::choice, 0, 0, 0, false, "",
       "to a concentration c: c itself, c / (half + c), c / (1 + c / half), or ln(1 + c / half)", false,
       "linear|saturated|saturated-linear|logarithmic"},
      {"half", Kind::real, 1e-30, 1e30, 1, false, "concentration", "scale of the response; see there"},
      {"who", Kind::choice, 0, 0, 0, false, "",
       "steers: the cell that would gain the site, or, where that is the medium, the one that would lose it; "
       "the one that would gain it alone; or both, each with its own numbers",
       false, "winner-or-loser|winner|both"},
      {"at", Kind::choice, 0, 0, 0, false, "",
       "which borders it acts: all, or those with the medium alone (contact-inhibited)", false, "all|medium"},
  };
  struct Slot {
    Params chemotaxis;
  };
  struct Use {
    bool chemotaxis = false;
  };
  static constexpr auto kParams = &Slot::chemotaxis;
  static constexpr auto kUse = &Use::chemotaxis;
  static constexpr float OwnLambdas::*kOwnLambdas = &OwnLambdas::chemotaxis;
  static constexpr TermScope kScope = TermScope::local;
  static constexpr bool acts(const Params& p) { return p.lambda != 0; }

  template <int Dim, class Physics, class World>
  KILN_HOT static bool add(const Physics& physics, World& world, const Copy& copy, float& dh) {
    if (physics.reads_substances()) {
      const bool wins = copy.winner != kMedium;
      const Params steering = params_of<Term>(physics, world, copy.steering_type(), copy.steering_cell());
      add_of_cell<Dim>(physics, copy, steering, wins, dh);
      if (wins && copy.loser != kMedium)
        add_of_cell<Dim>(physics, copy, params_of<Term>(physics, world, copy.loser_type, copy.loser), false,
                         dh);
      return true;
    }
    const Params p = params_of<Term>(physics, world, copy.steering_type(), copy.steering_cell());
    if (p.lambda != 0) dh += chemotaxis::delta(p, copy, physics.field_at(as_index(p.field), copy.source));
    return true;
  }

 private:
  template <int Dim, class Physics>
  KILN_HOT static void add_of_cell(const Physics& physics, const Copy& copy, const Params& p, bool wins,
                                   float& dh) {
    if (!steers(p, copy, wins)) return;
    if (p.substance < 0) {
      dh += chemotaxis::delta(p, copy, physics.field_at(as_index(p.field), copy.source));
      return;
    }
    const auto felt = [&](const Vec3i& place) {
      return response_to(p, physics.template concentration<Dim>(as_index(p.substance), place));
    };
    const float at_source = felt(copy.source);
    dh += -p.lambda * (felt(copy.source + copy.step) - at_source);
  }
};

}  // namespace kiln::chemotaxis
