// Pictures of a state, as a model's [[picture]] asks for them.
#pragma once

#include "output/picture/image.hpp"

namespace kiln {

// `threads` 0: as many as the machine has. The picture does not depend on it.
Image draw(const PictureSettings& settings, const Model& model, const State& state, int threads = 0);

}  // namespace kiln
