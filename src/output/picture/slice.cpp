#include "output/picture/slice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "output/picture/lettering.hpp"
#include "output/picture/palette.hpp"

namespace kiln {
namespace {

constexpr int kDefaultSide = 1000;
constexpr int kLongestSide = 1200;  // of a picture whose width is ours to choose

// Where a pixel lies in the lattice.
struct Plane {
  int across, column, row;  // axes
  int32_t position;
  int scale = 1;  // pixels per site along an axis
  int step = 1;   // sites per pixel; one of the two is 1
  int width = 0, height = 0;
  Vec3i size;

  Vec3i site(int x, int y) const {
    Vec3i p;
    p[across] = position;
    p[column] = std::min(x / scale * step + step / 2, size[column] - 1);
    p[row] = std::min(y / scale * step + step / 2, size[row] - 1);
    return p;
  }
};

int32_t checked_position(const PictureSettings& settings, const Lattice& lattice) {
  if (lattice.dimension == 2) return 0;
  const int32_t size = lattice.size[settings.axis];
  const int32_t position = settings.position.value_or(size / 2);
  if (position < 0 || position >= size)
    throw UserError(
        fmt::format("the picture '{}' is to cut {} at {}, outside of the lattice: 0 to {} is allowed.",
                    settings.name, "xyz"[settings.axis], position, size - 1));
  return position;
}

Plane place(const PictureSettings& settings, const Lattice& lattice) {
  Plane plane{};
  plane.across = lattice.dimension == 2 ? 2 : settings.axis;
  plane.column = plane.across == 0 ? 1 : 0;
  plane.row = plane.across == 2 ? 1 : 2;
  plane.position = checked_position(settings, lattice);
  plane.size = lattice.size;
  const int columns = lattice.size[plane.column], rows = lattice.size[plane.row];
  if (settings.width > 0) {
    plane.scale = std::max(1, settings.width / columns);
    plane.step = (columns + settings.width - 1) / settings.width;
  } else {
    const int longest = std::max(columns, rows);
    plane.scale = std::max(1, (kDefaultSide + longest / 2) / longest);
    plane.step = (longest + kLongestSide - 1) / kLongestSide;
  }
  plane.width = std::max(1, columns / plane.step) * plane.scale;
  plane.height = std::max(1, rows / plane.step) * plane.scale;
  return plane;
}

// Darkens the pixels of cells within `reach` pixels of another cell. Lines lie on both sides of a border
// where sites are large; where they are small only on one, so that a line stays thin.
void draw_borders(Image& image, const std::vector<CellId>& ids, int scale) {
  const bool both_sides = scale >= 5;
  const int reach = scale >= 24 ? 2 : 1;
  const float dim = scale >= 5 ? 0.42f : scale >= 3 ? 0.5f : 0.62f;  // share of light that a line keeps
  const auto differs = [&](int x, int y, CellId own) {
    for (int dy = -reach; dy <= reach; ++dy)
      for (int dx = -reach; dx <= reach; ++dx) {
        const int px = x + dx, py = y + dy;
        if (px < 0 || py < 0 || px >= image.width || py >= image.height) continue;
        const CellId other = ids[std::size_t(py) * image.width + px];
        const bool ours = both_sides || dx + dy == 1 || (dx + dy == -1 && other == kMedium);
        if (other != own && ours) return true;
      }
    return false;
  };
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      const CellId own = ids[std::size_t(y) * image.width + x];
      if (own != kMedium && differs(x, y, own)) image.set(x, y, to_srgb(to_linear(image.at(x, y)) * dim));
    }
}

}  // namespace

Image draw_slice(const PictureSettings& settings, const Model& model, const State& state) {
  const Plane plane = place(settings, state.lattice);
  const Palette palette(settings.colour_by, model, state);
  Image image(plane.width, plane.height);
  std::vector<CellId> ids(std::size_t(plane.width) * plane.height);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      const Site site = state.lattice.index(plane.site(x, y));
      const CellId id = state.ids[site];
      ids[std::size_t(y) * plane.width + x] = id;
      image.set(x, y, palette.colour(id, state.cells.type[id], palette.by_act() ? state.act[site] : 0));
    }
  // Sampled sites are no neighbours: a border between them would mean nothing.
  if (settings.borders && plane.step == 1) draw_borders(image, ids, plane.scale);
  return with_footer(image, model.units.voxel_um * plane.step / plane.scale, state.mcs);
}

}  // namespace kiln
