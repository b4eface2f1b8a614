#include "output/picture/picture.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "output/picture/slice.hpp"
#include "output/picture/solid.hpp"

namespace kiln {

Image draw(const PictureSettings& settings, const Model& model, const State& state, int threads) {
  constexpr int kWidest = 16384;
  if (settings.width < 0 || settings.width > kWidest)
    throw UserError(
        fmt::format("the picture '{}' cannot be {} pixels wide: 1 to {}, or 0 for a width that fits, "
                    "is allowed.",
                    settings.name, settings.width, kWidest));
  if (settings.view == PictureSettings::View::solid) return draw_solid(settings, model, state, threads);
  return draw_slice(settings, model, state);
}

}  // namespace kiln
