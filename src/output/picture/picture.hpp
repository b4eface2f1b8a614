// Pictures of a state, as a model's [[pictures]] asks for them.
#pragma once

#include <optional>
#include <variant>

#include "core/box.hpp"
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

  // The sites of the lattice that a picture is made of, where that is a plane of them; and the types by which
  // it is framed (frame.hpp), none where that is by the lattice.
  std::optional<Box> plane() const;
  std::vector<uint8_t> framed_by(const Cells& cells) const;
  // From a state that has no others; the sites of such types lie in `seen`.
  PngParts draw_plane_png(const State& plane, const Box& seen);

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
