#include "output/picture/picture.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "output/picture/slice.hpp"
#include "output/picture/solid.hpp"

namespace kiln {

std::variant<Image, IndexedImage> PictureSeries::draw_any(const State& state, int threads) {
  if (settings_.width < 0 || settings_.width > kWidestPicture)
    throw UserError(
        fmt::format("the picture '{}' cannot be {} pixels wide: 1 to {}, or 0 for a width that fits, "
                    "is allowed.",
                    settings_.name, settings_.width, kWidestPicture));
  if (settings_.view == PictureSettings::View::solid)
    return draw_solid(settings_, *model_, state, threads, frame_);
  return draw_slice(settings_, *model_, state, frame_);
}

Image PictureSeries::draw(const State& state, int threads) {
  auto drawn = draw_any(state, threads);
  if (const auto* indexed = std::get_if<IndexedImage>(&drawn)) return indexed->rgb();
  return std::get<Image>(std::move(drawn));
}

PngParts PictureSeries::draw_png(const State& state, int threads) {
  return std::visit([](const auto& image) { return png_parts(image); }, draw_any(state, threads));
}

std::optional<Box> PictureSeries::plane() const {
  if (settings_.view != PictureSettings::View::slice) return std::nullopt;
  // Its colours are interpolated between voxels of the whole lattice.
  if (settings_.colour_by == PictureSettings::ColourBy::substance) return std::nullopt;
  return plane_of_slice(settings_, model_->lattice);
}

std::vector<uint8_t> PictureSeries::framed_by(const Cells& cells) const {
  if (settings_.frame == PictureSettings::FrameOf::lattice) return {};
  return framed_types(settings_, *model_, cells);
}

PngParts PictureSeries::draw_plane_png(const State& plane, const Box& seen) {
  PictureSettings of_plane = settings_;
  of_plane.position = 0;
  return png_parts(draw_slice(of_plane, *model_, plane, seen, frame_));
}

Image draw(const PictureSettings& settings, const Model& model, const State& state, int threads) {
  return PictureSeries(settings, model).draw(state, threads);
}

}  // namespace kiln
