#include "output/picture/solid.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/parallel.hpp"
#include "output/picture/caption.hpp"
#include "output/picture/palette.hpp"
#include "output/picture/solid_camera.hpp"
#include "output/picture/solid_scene.hpp"

namespace kiln {
namespace {

constexpr int kFiner = 2;  // rays per pixel along x and y
constexpr int kBandRows = 16;
constexpr float kLineDarkness = 0.6f;

// Share of light that a line between cells takes: less where cells are only a few pixels wide, or all would
// be lines.
float line_strength(const PictureSettings& settings, const Model& model, const State& state,
                    const Camera& camera) {
  if (!settings.borders) return 0;
  double volume = 0, cells = 0;
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    const CellType& type = model.types[state.cells.type[cell]];
    if (type.frozen || type.hidden || state.cells.extent[cell].volume <= 0) continue;
    volume += state.cells.extent[cell].volume;
    cells += 1;
  }
  if (cells == 0) return kLineDarkness;
  const double pixels = std::cbrt(volume / cells) / camera.sites_per_pixel();
  return kLineDarkness * float(std::clamp((pixels - 4) / 16, 0.0, 1.0));
}

// The rays of a band of rows, kFiner x kFiner per pixel, and of one row and column of pixels around it, so
// that lines run on from band to band.
class Band {
 public:
  Band(const Camera& camera, const SolidScene& scene, int first_row, int rows)
      : camera_(camera),
        scene_(scene),
        first_row_(first_row),
        rows_(rows),
        stride_((camera.width + 2) * kFiner),
        rays_(std::size_t(stride_) * (rows + 2) * kFiner) {}

  // One ray per pixel at first, and not even that where those on both sides see much the same; more only
  // where cells, or depths, meet.
  void trace() {
    const bool sparse = camera_.sites_per_pixel() <= kSparse;
    for (const bool between : {false, true})
      for (int y = -1; y <= rows_; ++y)
        for (int x = -1; x <= camera_.width; ++x) {
          if (between != (sparse && is_between(x, y))) continue;
          const std::optional<Shaded> known = between ? mean_around(x, y) : std::nullopt;
          fill_pixel(x, y, known ? *known : follow(x * kFiner, y * kFiner, between ? nearest_even(x, y) : 0));
        }
    std::vector<uint8_t> finer(std::size_t(camera_.width + 2) * (rows_ + 2));
    for (int y = -1; y <= rows_; ++y)
      for (int x = -1; x <= camera_.width; ++x) finer[finer_index(x, y)] = is_edge(x, y);
    for (int y = -1; y <= rows_; ++y)
      for (int x = -1; x <= camera_.width; ++x) {
        if (finer[finer_index(x, y)] == 0) continue;
        const double start = sparse ? nearest_pixel(x, y) : 0;
        for (int i = 1; i < kFiner * kFiner; ++i) {
          const int rx = x * kFiner + i % kFiner, ry = y * kFiner + i / kFiner;
          at(rx, ry) = follow(rx, ry, start);
        }
      }
  }

  // The mean of a pixel's rays, darkened where another cell is close.
  Vec3f light(int x, int row, float line_strength) const {
    Vec3f sum;
    for (int i = 0; i < kFiner * kFiner; ++i) {
      const int rx = x * kFiner + i % kFiner, ry = row * kFiner + i / kFiner;
      const float kept = line_strength > 0 ? 1 - line_strength * line_at(rx, ry) : 1.0f;
      sum = sum + at(rx, ry).light * kept;
    }
    return sum * (1.0f / (kFiner * kFiner));
  }

 private:
  // Coordinates in rays; 0, 0 is the first ray of the band proper.
  Shaded& at(int x, int y) { return rays_[std::size_t(y + kFiner) * stride_ + x + kFiner]; }
  const Shaded& at(int x, int y) const { return rays_[std::size_t(y + kFiner) * stride_ + x + kFiner]; }
  std::size_t finer_index(int x, int y) const { return std::size_t(y + 1) * (camera_.width + 2) + x + 1; }

  void fill_pixel(int x, int y, const Shaded& seen) {
    for (int i = 0; i < kFiner * kFiner; ++i) at(x * kFiner + i % kFiner, y * kFiner + i / kFiner) = seen;
  }

  // Whether the pixels that mean_around() looks at are traced first, and in the band.
  bool is_between(int x, int y) const {
    return (x % 2 != 0 || y % 2 != 0) && x >= 0 && x < camera_.width && y >= 0 && y < rows_;
  }
  // Of the two or four nearest pixels with even places; none where they see different things.
  std::optional<Shaded> mean_around(int x, int y) const {
    const int dx = x % 2, dy = y % 2;
    const Shaded& first = at((x - dx) * kFiner, (y - dy) * kFiner);
    Vec3f sum;
    for (int i = 0; i < 4; ++i) {
      const Shaded& other = at((x + (i % 2 * 2 - 1) * dx) * kFiner, (y + (i / 2 * 2 - 1) * dy) * kFiner);
      const Vec3f change = other.light - first.light;
      if (other.cell != first.cell || dot(change, change) > kSmoothChange) return std::nullopt;
      sum = sum + other.light;
    }
    return Shaded{first.cell, sum * 0.25f, first.distance};
  }

  // Where a ray between others may start: a little before the nearest thing that they have met.
  static double before(float nearest) { return std::max(0.0, double(nearest) - kBefore); }
  double nearest_even(int x, int y) const {
    float nearest = 1e30f;
    for (int ny = y - y % 2; ny <= y + y % 2; ++ny)
      for (int nx = x - x % 2; nx <= x + x % 2; ++nx)
        if (!is_between(nx, ny)) nearest = std::min(nearest, at(nx * kFiner, ny * kFiner).distance);
    return before(nearest);
  }
  double nearest_pixel(int x, int y) const {
    float nearest = 1e30f;
    for (int ny = std::max(-1, y - 1); ny <= std::min(rows_, y + 1); ++ny)
      for (int nx = std::max(-1, x - 1); nx <= std::min(camera_.width, x + 1); ++nx)
        nearest = std::min(nearest, at(nx * kFiner, ny * kFiner).distance);
    return before(nearest);
  }

  Shaded follow(int x, int y, double start) const {
    return scene_.look_along(camera_.ray((x + 0.5) / kFiner, first_row_ + (y + 0.5) / kFiner), start);
  }

  // Before refinement: whether a pixel and one beside it show different things.
  bool is_edge(int x, int y) const {
    const Shaded& own = at(x * kFiner, y * kFiner);
    const auto differs = [&](int nx, int ny) {
      const Shaded& other = at(nx * kFiner, ny * kFiner);
      const Vec3f change = other.light - own.light;
      return other.cell != own.cell || dot(change, change) > kVisibleChange;
    };
    return differs(std::max(-1, x - 1), y) || differs(std::min(camera_.width, x + 1), y) ||
           differs(x, std::max(-1, y - 1)) || differs(x, std::min(rows_, y + 1));
  }

  // 0 away from other cells, 1 beside one.
  float line_at(int x, int y) const {
    const CellId own = at(x, y).cell;
    if (own == kNowhere) return 0;
    float line = 0;
    for (int dy = -kLineReach; dy <= kLineReach; ++dy)
      for (int dx = -kLineReach; dx <= kLineReach; ++dx) {
        const int distance2 = dx * dx + dy * dy;
        if (distance2 > kLineReach * kLineReach) continue;
        const CellId other = at(x + dx, y + dy).cell;
        if (other != own && other != kNowhere) line = std::max(line, distance2 <= 1 ? 1.0f : 0.5f);
      }
    return line;
  }

  static constexpr int kLineReach = 2;  // rays; at most kFiner
  // Squares of differences of linear light: where a finer look shows more, and where a mean does as well.
  static constexpr float kVisibleChange = 0.15f * 0.15f, kSmoothChange = 0.08f * 0.08f;
  static constexpr double kSparse = 0.4;  // sites per pixel, up to which nothing fits between two pixels
  static constexpr double kBefore = 2;    // sites; surfaces bend towards the eye between rays

  const Camera& camera_;
  const SolidScene& scene_;
  int first_row_, rows_, stride_;
  std::vector<Shaded> rays_;
};

// An axis that points at the eye is left out.
std::vector<Caption::Axis> axis_marks(const Camera& camera) {
  std::vector<Caption::Axis> marks;
  for (int axis = 0; axis < 3; ++axis) {
    const Point along{camera.right[axis], -camera.up[axis]};
    if (std::hypot(along.x, along.y) > 0.15) marks.push_back({"xyz"[axis], along});
  }
  return marks;
}

}  // namespace

Image draw_solid(const PictureSettings& settings, const Model& model, const State& state, int threads,
                 Frame& frame) {
  const Camera camera = place_camera(settings, model, state, frame);
  const SolidScene scene(settings, model, state, camera, threads);
  const float strength = line_strength(settings, model, state, camera);

  Image image(camera.width, camera.height, kSolidBackground);
  parallel_for((camera.height + kBandRows - 1) / kBandRows, threads, [&](int task) {
    const int first = task * kBandRows, rows = std::min(kBandRows, camera.height - first);
    Band band(camera, scene, first, rows);
    band.trace();
    for (int row = 0; row < rows; ++row)
      for (int x = 0; x < camera.width; ++x) image.set(x, first + row, to_srgb(band.light(x, row, strength)));
  });
  if (settings.decoration == PictureSettings::Decoration::none) return image;
  Caption caption = caption_of(settings, model, Palette(settings, model, state), state.mcs,
                               model.units.voxel_um * camera.sites_per_pixel());
  if (settings.decoration == PictureSettings::Decoration::full) caption.axes = axis_marks(camera);
  const Image strip = caption_strip(image.width, caption);
  image.rgb.insert(image.rgb.end(), strip.rgb.begin(), strip.rgb.end());
  image.height += strip.height;
  return image;
}

}  // namespace kiln
