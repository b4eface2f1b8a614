#include "output/picture/frame.hpp"

#include <algorithm>

namespace kiln {
namespace {

constexpr double kMargin = 0.04;  // of the longer side, on every side

}  // namespace

void PlaneBox::include(double x, double y) {
  left = std::min(left, x);
  right = std::max(right, x);
  top = std::min(top, y);
  bottom = std::max(bottom, y);
}

bool PlaneBox::contains(const PlaneBox& other) const {
  return left <= other.left && right >= other.right && top <= other.top && bottom >= other.bottom;
}

PlaneBox PlaneBox::with_margin(double share, const PlaneBox& limits) const {
  const double margin = share * std::max(width(), height());
  return {std::max(left - margin, limits.left), std::max(top - margin, limits.top),
          std::min(right + margin, limits.right), std::min(bottom + margin, limits.bottom)};
}

void Frame::show(const PlaneBox& seen, const PlaneBox& limits) {
  if (!box.is_empty() && box.contains(seen)) return;
  const PlaneBox wanted = seen.with_margin(kMargin, limits);
  box.include(wanted.left, wanted.top);
  box.include(wanted.right, wanted.bottom);
}

std::vector<double> Frame::numbers() const {
  return {box.left,       box.top,  box.right, box.bottom, double(width),
          double(height), middle.x, middle.y,  middle.z};
}

Frame Frame::from_numbers(const std::vector<double>& n) {
  Frame frame;
  if (n.size() != 9) return frame;
  frame.box = {n[0], n[1], n[2], n[3]};
  frame.width = int(n[4]);
  frame.height = int(n[5]);
  frame.middle = {n[6], n[7], n[8]};
  return frame;
}

std::vector<uint8_t> framed_types(const PictureSettings& settings, const Model& model) {
  const bool tissue = settings.frame == PictureSettings::FrameOf::tissue;
  const bool solid = settings.view == PictureSettings::View::solid;
  std::vector<uint8_t> framed(model.types.size());
  for (std::size_t type = 0; type < framed.size(); ++type) {
    const CellType& look = model.types[type];
    const bool unseen = look.hidden && (look.frozen || (tissue && solid));
    framed[type] = !unseen && !(tissue && type == 0) ? 1 : 0;
  }
  return framed;
}

bool has_framed_cells(const std::vector<uint8_t>& framed, const Cells& cells) {
  for (CellId cell = 0; cell < cells.count(); ++cell)
    if (framed[cells.type[cell]] != 0 && (cells.type[cell] == 0 || cells.extent[cell].volume > 0))
      return true;
  return false;
}

std::vector<uint8_t> framed_cells(const PictureSettings& settings, const Model& model, const State& state) {
  const std::vector<uint8_t> types = framed_types(settings, model);
  std::vector<uint8_t> framed(state.cells.count(), 1);
  if (!has_framed_cells(types, state.cells)) return framed;  // no tissue: the lattice
  for (CellId cell = 0; cell < state.cells.count(); ++cell) framed[cell] = types[state.cells.type[cell]];
  return framed;
}

}  // namespace kiln
