// One copy attempt, after the rules for frozen cells have been applied.
#pragma once

#include "core/types.hpp"

namespace kiln {

struct Copy {
  CellId winner;  // the cell of the source: it would gain the target site
  CellId loser;   // the cell of the target: it would lose it
  TypeId winner_type;
  TypeId loser_type;
  Vec3i source;  // where the source lies
  Vec3i step;    // from source to target; entries -1, 0, 1

  // The type whose parameters steer motion: the source's, or the target's where the source is medium.
  KILN_HD TypeId steering_type() const { return winner != kMedium ? winner_type : loser_type; }

  KILN_HD CellId steering_cell() const { return winner != kMedium ? winner : loser; }

  // d: the unit vector from source to target.
  KILN_HD Vec3f unit_step() const {
    const int squared = step.x * step.x + step.y * step.y + step.z * step.z;
    const float scale = squared == 1 ? 1.0f : squared == 2 ? 0.70710678118654752f : 0.57735026918962576f;
    return {float(step.x) * scale, float(step.y) * scale, float(step.z) * scale};
  }
};

}  // namespace kiln
