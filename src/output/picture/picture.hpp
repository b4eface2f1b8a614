// Pictures of a state, as a model's [[pictures]] asks for them.
#pragma once

#include <optional>
#include <span>
#include <variant>

#include "core/box.hpp"
#include "core/cell_slice.hpp"
#include "model/model.hpp"
#include "output/picture/frame.hpp"
#include "output/picture/image.hpp"
#include "output/picture/png_chunks.hpp"

namespace kiln {

// The pictures of one view of a run, one after the other.
class PictureSeries {
 public:
  // `frame`: of the pictures before, where there were any.
  PictureSeries(const PictureSettings& settings, const Model& model, const Frame& frame = {})
      : settings_(settings), model_(&model), frame_(frame) {}

  // `threads` 0: as many as the machine has. The picture does not depend on it.
  Image draw(const State& state, int threads = 0);
  PngParts draw_png(const State& state, int threads = 0);

  // The sites of the lattice that a picture is made of, where that is a plane of them.
  std::optional<Box> plane() const;
  // What such a picture has to know of all cells.
  struct OfAllCells {
    std::vector<uint8_t> framed_types;  // the types by which it is framed (frame.hpp); none: by the lattice
    std::vector<double> range;          // the ends of its colours, where those follow from the cells
  };
  OfAllCells look_through(const std::function<void(const TakeSlice&)>& each_slice) const;
  // From a state that has the plane alone, and whose cells have other ids: `numbers` are theirs. Sites of
  // framed types lie in `seen`.
  PngParts draw_plane_png(const State& plane, std::span<const CellId> numbers, const OfAllCells& all,
                          const Box& seen);

  const Frame& frame() const { return frame_; }

 private:
  std::variant<Image, IndexedImage> draw_any(const State& state, int threads);

  PictureSettings settings_;
  const Model* model_;
  Frame frame_;
};

// One picture alone.
Image draw(const PictureSettings& settings, const Model& model, const State& state, int threads = 0);

}  // namespace kiln
