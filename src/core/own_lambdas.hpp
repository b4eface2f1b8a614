// Strengths of terms that a cell has of its own, where a model's rules set them: in place of its type's.
#pragma once

namespace kiln {

struct OwnLambdas {
  float chemotaxis = 0, persistence = 0, act = 0;
  bool operator==(const OwnLambdas&) const = default;
};

}  // namespace kiln
