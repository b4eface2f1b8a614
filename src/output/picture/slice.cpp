#include "output/picture/slice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "base/error.hpp"
#include "output/picture/caption.hpp"
#include "output/picture/palette.hpp"

namespace kiln {
namespace {

constexpr int kDefaultSide = 640;
constexpr int kLongestSide = 1200;  // of a picture whose width is ours to choose

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

struct Axes {
  int across, column, row;
  bool rows_up;  // row 0 of the lattice is at the bottom
};

Axes axes_of(const PictureSettings& settings, const Lattice& lattice) {
  const int across = lattice.dimension == 2 ? 2 : settings.axis;
  const int row = across == 2 ? 1 : 2;
  return {across, across == 0 ? 1 : 0, row, row == 2};
}

// What a frame shows.
Box seen_box(const PictureSettings& settings, const Model& model, const State& state) {
  if (settings.frame == PictureSettings::FrameOf::lattice) return {{0, 0, 0}, state.lattice.size};
  Box seen{state.lattice.size, {0, 0, 0}};
  for_each_row_end(state, framed_cells(settings, model, state), [&](double first, double last, int y, int z) {
    seen.include({{int32_t(first + 0.5), y, z}, {int32_t(last + 0.5), y + 1, z + 1}});
  });
  return seen;
}

// The rows and columns of the picture that show it, in sites; rows count from the top.
PlaneBox on_plane(const Box& box, const Axes& axes, double rows) {
  PlaneBox seen;
  if (box.empty()) return seen;
  for (const Vec3i& corner : {box.low, box.high}) {
    const double row = corner[axes.row];
    seen.include(corner[axes.column], axes.rows_up ? rows - row : row);
  }
  return seen;
}

// The site along one axis of every pixel; -1: none, beyond the lattice.
std::vector<int> sites_along(double from, double to, int pixels, double scale, int size) {
  std::vector<int> sites(pixels);
  for (int i = 0; i < pixels; ++i) {
    const double site = std::floor(0.5 * (from + to) + (i + 0.5 - 0.5 * pixels) / scale);
    sites[i] = site >= 0 && site < size ? int(site) : -1;
  }
  return sites;
}

// Whole numbers of pixels per site, or of sites per pixel.
void choose_size(const PictureSettings& settings, Frame& frame) {
  const double columns = frame.box.width(), rows = frame.box.height(), longest = std::max(columns, rows);
  double scale = settings.width / columns;
  if (settings.width == 0) {
    scale = std::max(1.0, std::floor(kDefaultSide / longest + 0.5));
    if (longest > kLongestSide) scale = 1 / std::ceil(longest / kLongestSide);
  }
  frame.width = settings.width > 0 ? settings.width : std::max(1, int(columns * scale));
  const double height = std::max(1.0, std::floor(rows * scale + (settings.width > 0 ? 0.5 : 0)));
  if (height > kTallestPicture)
    throw UserError(fmt::format(
        "the picture '{}' would be {:.0f} pixels high: at most {} are possible, which a width of {:.0f} "
        "gives.",
        settings.name, height, kTallestPicture, std::floor(kTallestPicture / rows * columns)));
  frame.height = int(height);
}

// A stretch of pixels of the same site, and with the same sites before and after it; sites are places in a
// list of those that are seen. Beyond the picture and the lattice, a stretch is its own neighbour.
struct Run {
  int begin, end;
  int before, site, after;

  // Whether it has neighbours before and after it.
  static constexpr int kKinds = 4;
  int kind() const { return (before != site ? 1 : 0) | (after != site ? 2 : 0); }
  bool same_sites(const Run& other) const {
    return before == other.before && site == other.site && after == other.after;
  }
};

// The sites along one axis of a picture, each once, and the stretches of pixels that show them.
struct Seen {
  std::vector<int> sites;  // -1: beyond the lattice
  std::vector<Run> runs;

  Seen(const std::vector<int>& site_of_pixel, int reach) {
    std::vector<int> place;
    for (const int site : site_of_pixel) {
      if (sites.empty() || sites.back() != site) sites.push_back(site);
      place.push_back(int(sites.size()) - 1);
    }
    const int last = int(place.size()) - 1;
    for (int i = 0; i <= last; ++i) {
      const auto neighbour = [&](int pixel) {
        const int other = place[std::clamp(pixel, 0, last)];
        return sites[other] < 0 ? place[i] : other;
      };
      const Run run{i, i + 1, neighbour(i - reach), place[i], neighbour(i + reach)};
      if (!runs.empty() && runs.back().same_sites(run))
        ++runs.back().end;
      else
        runs.push_back(run);
    }
  }
};

// Fills a picture with the colours of sites, and darkens the pixels of cells that are close to another cell.
class SlicePainter {
 public:
  SlicePainter(const PictureSettings& settings, const Model& model, const State& state,
               std::span<const CellId> numbers, const Axes& axes)
      : state_(state),
        palette_(settings, model, state, numbers),
        axes_(axes),
        position_(checked_position(settings, state.lattice)) {}

  const Palette& palette() const { return palette_; }
  // Behind the colours of the palette come those of borders, and what captions need.
  std::vector<Colour> colours(double scale) const {
    const float dim = scale >= 4 ? 0.42f : scale >= 3 ? 0.5f : 0.62f;  // share of light that a line keeps
    std::vector<Colour> all = palette_.colours();
    for (const Colour c : palette_.colours()) all.push_back(to_srgb(to_linear(c) * dim));
    return all;
  }

  void paint(IndexedImage& image, const std::vector<int>& columns, const std::vector<int>& rows, double scale,
             bool borders) {
    // Lines lie on both sides of a border where sites are large; where they are small only on one, so that a
    // line stays thin.
    both_sides_ = scale >= 4;
    const int reach = !borders ? 0 : scale >= 24 ? 2 : 1;
    const Seen across(columns, reach), down(rows, reach);
    look_up(across.sites, down.sites);
    if (borders) find_others(across.sites.size(), down.sites.size());
    std::vector<uint16_t> row(std::size_t(image.width) + kSlack);
    for (const Run& run : down.runs) {
      fill_row(row.data(), across, run, borders);
      for (int y = run.begin; y < run.end; ++y) std::copy_n(row.data(), image.width, image.row(y));
    }
  }

 private:
  // The cells and colours of all sites that are seen.
  void look_up(const std::vector<int>& columns, const std::vector<int>& rows) {
    const Vec3i size = state_.lattice.size;
    const Vec3<Site> stride{1, size.x, Site(size.x) * size.y};
    const auto background = uint16_t(2 * palette_.colours().size());
    ids_.assign(columns.size() * rows.size(), kMedium);
    colours_.assign(ids_.size(), background);
    CellId last = kMedium;
    auto last_colour = uint16_t(palette_.index(kMedium, 0));  // not read where colours are by site
    std::size_t i = 0;
    for (const int row : rows) {
      const int along = axes_.rows_up ? size[axes_.row] - 1 - row : row;
      const Site start = position_ * stride[axes_.across] + along * stride[axes_.row];
      for (const int column : columns) {
        if (row >= 0 && column >= 0) {
          const Site site = start + column * stride[axes_.column];
          const CellId id = state_.ids[site];
          if (id != last || palette_.by_site())
            last_colour = uint16_t(palette_.index(
                id, state_.cells.type[id], palette_.by_site() ? palette_.site_value(state_, site) : 0));
          last = id;
          ids_[i] = id;
          colours_[i] = last_colour;
        }
        ++i;
      }
    }
  }

  // Which of the eight neighbours of a site are another cell, as bits neighbour(dx, dy); medium has none.
  static constexpr int neighbour(int dx, int dy) { return 1 << (3 * dy + dx + 4); }
  static constexpr int kMediumBefore = 1 << 9, kMediumAbove = 1 << 10;

  void find_others(std::size_t width, std::size_t height) {
    others_.assign(ids_.size(), 0);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t up = y > 0 ? width : 0, down = y + 1 < height ? width : 0;
        const std::size_t left = x > 0 ? 1 : 0, right = x + 1 < width ? 1 : 0;
        const CellId* own = ids_.data() + y * width + x;
        if (*own == kMedium) continue;
        const CellId around[] = {*(own - up - left),   *(own - up),   *(own - up + right),
                                 *(own - left),        *own,          *(own + right),
                                 *(own + down - left), *(own + down), *(own + down + right)};
        int bits = 0;
        for (int i = 0; i < 9; ++i)
          if (around[i] != *own) bits |= 1 << i;
        if (around[3] == kMedium) bits |= kMediumBefore;
        if (around[1] == kMedium) bits |= kMediumAbove;
        others_[y * width + x] = uint16_t(bits);
      }
  }

  // The neighbours that are near to a stretch of pixels: with a line there, where one of them is another
  // cell.
  int near_to(int kind_of_columns, const Run& rows) const {
    const bool left = (kind_of_columns & 1) != 0, right = (kind_of_columns & 2) != 0;
    const bool up = rows.before != rows.site, down = rows.after != rows.site;
    if (!both_sides_)
      return (right ? neighbour(1, 0) : 0) | (down ? neighbour(0, 1) : 0) | (left ? kMediumBefore : 0) |
             (up ? kMediumAbove : 0);
    int bits = 0;
    for (int dy = up ? -1 : 0; dy <= (down ? 1 : 0); ++dy)
      for (int dx = left ? -1 : 0; dx <= (right ? 1 : 0); ++dx) bits |= neighbour(dx, dy);
    return bits;
  }

  // Up to kSlack pixels at once, whatever the count: the next ones come after, and overwrite what is too
  // much.
  static void put(uint16_t* out, int count, uint16_t colour) {
    const uint64_t four = colour * 0x0001000100010001u;
    std::memcpy(out, &four, sizeof four);
    std::memcpy(out + kSlack / 2, &four, sizeof four);
    if (count > kSlack) std::fill(out + kSlack, out + count, colour);
  }

  // `out` has room for kSlack pixels more than it shows.
  void fill_row(uint16_t* out, const Seen& across, const Run& rows, bool borders) const {
    const std::size_t width = across.sites.size();
    const uint16_t *colours = colours_.data() + rows.site * width,
                   *others = others_.data() + (borders ? rows.site * width : 0);
    const auto dark = uint16_t(palette_.colours().size());
    std::array<int, Run::kKinds> near{};
    for (int kind = 0; kind < Run::kKinds; ++kind) near[kind] = near_to(kind, rows);
    for (const Run& run : across.runs) {
      uint16_t colour = colours[run.site];
      if (borders && (others[run.site] & near[run.kind()]) != 0) colour = uint16_t(colour + dark);
      put(out + run.begin, run.end - run.begin, colour);
    }
  }

  static constexpr int kSlack = 8;

  const State& state_;
  Palette palette_;
  Axes axes_;
  int32_t position_;
  bool both_sides_ = false;
  std::vector<CellId> ids_;
  std::vector<uint16_t> colours_;
  std::vector<uint16_t> others_;  // per site that is seen
};

// Puts a strip below a picture; its colours are added to those of the picture.
void append(IndexedImage& image, const Image& strip) {
  std::map<uint32_t, uint16_t> places;
  const auto key = [](Colour c) { return uint32_t(c.red) << 16 | uint32_t(c.green) << 8 | c.blue; };
  for (std::size_t i = image.colours.size(); i-- > 0;) places[key(image.colours[i])] = uint16_t(i);
  image.pixels.resize(image.pixels.size() + std::size_t(strip.width) * strip.height);
  for (int y = 0; y < strip.height; ++y) {
    uint16_t* out = image.row(image.height + y);
    Colour last{};
    uint16_t place = places.begin()->second;
    for (int x = 0; x < strip.width; ++x) {
      const Colour c = strip.at(x, y);
      if (x == 0 || c != last) place = places.at(key(c));
      out[x] = place;
      last = c;
    }
  }
  image.height += strip.height;
}

std::vector<Caption::Axis> axis_marks(const Axes& axes) {
  return {{"xyz" [axes.column], { 1, 0 }}, {"xyz" [axes.row], { 0, axes.rows_up ? -1.0 : 1.0 }}};
}

}  // namespace

IndexedImage draw_slice(const PictureSettings& settings, const Model& model, const State& state,
                        Frame& frame) {
  return draw_slice(settings, model, state, {}, seen_box(settings, model, state), frame);
}

IndexedImage draw_slice(const PictureSettings& settings, const Model& model, const State& state,
                        std::span<const CellId> numbers, const Box& seen, Frame& frame) {
  const Lattice& lattice = state.lattice;
  const Axes axes = axes_of(settings, lattice);
  const PlaneBox all{0, 0, double(lattice.size[axes.column]), double(lattice.size[axes.row])};
  frame.show(on_plane(seen, axes, all.bottom), all);
  frame.box = {std::floor(frame.box.left), std::floor(frame.box.top), std::ceil(frame.box.right),
               std::ceil(frame.box.bottom)};
  if (frame.width == 0) choose_size(settings, frame);

  SlicePainter painter(settings, model, state, numbers, axes);
  double column_scale = frame.width / frame.box.width(), row_scale = frame.height / frame.box.height();
  const double scale = std::min(column_scale, row_scale);
  // A frame that has grown may have got another shape than the picture; else the two differ only by rounding.
  if (std::abs(column_scale * frame.box.height() - frame.height) > 1) column_scale = row_scale = scale;
  IndexedImage image;
  image.width = frame.width;
  image.height = frame.height;
  image.colours = painter.colours(scale);
  for (const Colour c : ink_levels()) image.colours.push_back(c);  // the first is the background
  for (const CellType& type : model.types) image.colours.push_back(type.colour);
  image.pixels.resize(std::size_t(image.width) * image.height);
  // Sampled sites are no neighbours: a border between them would mean nothing.
  painter.paint(image,
                sites_along(frame.box.left, frame.box.right, image.width, column_scale, int(all.right)),
                sites_along(frame.box.top, frame.box.bottom, image.height, row_scale, int(all.bottom)), scale,
                settings.borders && scale >= 1);

  if (settings.decoration == PictureSettings::Decoration::none) return image;
  Caption caption = caption_of(settings, model, painter.palette(), state.mcs, model.units.voxel_um / scale);
  if (lattice.dimension == 3 && settings.decoration == PictureSettings::Decoration::full)
    caption.axes = axis_marks(axes);
  append(image, caption_strip(image.width, caption));
  return image;
}

Box plane_of_slice(const PictureSettings& settings, const Lattice& lattice) {
  const int across = axes_of(settings, lattice).across;
  Box plane{{0, 0, 0}, lattice.size};
  plane.low[across] = checked_position(settings, lattice);
  plane.high[across] = plane.low[across] + 1;
  return plane;
}

}  // namespace kiln
