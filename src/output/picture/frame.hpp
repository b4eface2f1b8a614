// Which part of the plane of a picture is seen: all of the lattice, or the tissue.
//
// A series of pictures keeps one frame: that of the tissue in the first of them, with a margin. It only ever
// grows, when the tissue comes to its edge, and the size of the pictures in pixels never changes, so that
// frames of an animation lie on each other.
#pragma once

#include <vector>

#include "model/model.hpp"
#include "output/picture/image.hpp"

namespace kiln {

// On the plane of a picture: sites in a slice, shares of the distance from the eye in a solid view.
struct PlaneBox {
  double left = 1e300, top = 1e300, right = -1e300, bottom = -1e300;

  bool is_empty() const { return left > right; }
  double width() const { return right - left; }
  double height() const { return bottom - top; }
  void include(double x, double y);
  bool contains(const PlaneBox& other) const;
  PlaneBox with_margin(double share, const PlaneBox& limits) const;
};

struct Frame {
  PlaneBox box;
  int width = 0, height = 0;  // of the picture in pixels, without what stands below it; 0: not chosen yet
  Vec3d middle;               // of the tissue in the first picture: where a cut-away has its corner

  // Shows all of `seen`, and as much as before.
  void show(const PlaneBox& seen, const PlaneBox& limits);

  // For checkpoints.
  std::vector<double> numbers() const;
  static Frame from_numbers(const std::vector<double>& numbers);  // empty where they are none
};

// Which types of cells a frame goes by: those that can be seen, or all that is not frozen and hidden, the
// medium too; and whether there is any.
std::vector<uint8_t> framed_types(const PictureSettings& settings, const Model& model);
bool has_framed_cells(const std::vector<uint8_t>& framed, const Cells& cells);
// The same by cell.
std::vector<uint8_t> framed_cells(const PictureSettings& settings, const Model& model, const State& state);

// Calls take(x, y, z) with both ends, and the far sides, of every row of sites that holds a framed cell; that
// is all one needs to know of a tissue to see it from outside.
template <class Take>
void for_each_row_end(const State& state, const std::vector<uint8_t>& framed, const Take& take) {
  const Lattice& lattice = state.lattice;
  for (int z = 0; z < lattice.size.z; ++z)
    for (int y = 0; y < lattice.size.y; ++y) {
      const CellId* row = state.ids.data() + lattice.index({0, y, z});
      int first = 0, last = lattice.size.x - 1;
      while (first <= last && framed[row[first]] == 0) ++first;
      while (last >= first && framed[row[last]] == 0) --last;
      if (first <= last) take(first - 0.5, last + 0.5, y, z);
    }
}

}  // namespace kiln
