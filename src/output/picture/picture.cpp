#include "output/picture/picture.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "output/picture/palette.hpp"
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

PictureSeries::OfAllCells PictureSeries::look_through(
    const std::function<void(const TakeSlice&)>& each_slice) const {
  const bool by_tissue = settings_.frame != PictureSettings::FrameOf::lattice;
  const bool by_cells = settings_.colour_by == PictureSettings::ColourBy::property && settings_.range.empty();
  OfAllCells all;
  if (!by_tissue && !by_cells) return all;
  const std::vector<uint8_t> framed = framed_types(settings_, *model_);
  bool has_framed = false;
  PropertyRange range(settings_, *model_);
  each_slice([&](const CellSlice& slice) {
    has_framed = has_framed || (by_tissue && has_framed_cells(framed, slice.cells));
    if (by_cells) range.add(slice.cells);
  });
  if (has_framed) all.framed_types = framed;
  if (by_cells) all.range = {range.low(), range.high()};
  return all;
}

PngParts PictureSeries::draw_plane_png(const State& plane, std::span<const CellId> numbers,
                                       const OfAllCells& all, const Box& seen) {
  PictureSettings of_plane = settings_;
  of_plane.position = 0;
  if (!all.range.empty()) of_plane.range = all.range;
  return png_parts(draw_slice(of_plane, *model_, plane, numbers, seen, frame_));
}

Image draw(const PictureSettings& settings, const Model& model, const State& state, int threads) {
  return PictureSeries(settings, model).draw(state, threads);
}

}  // namespace kiln
