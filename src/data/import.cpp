#include "data/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.hpp"
#include "data/wording.hpp"

namespace kiln {
namespace {

struct Placed {
  ImageStack image;
  Vec3i low, high;  // of the image, what is used
  Vec3d scale;      // voxels of the image per site
  ImageFacts facts;
};

std::string text_of(const Vec3i& v) { return fmt::format("({}, {}, {})", v.x, v.y, v.z); }

void crop(Placed& placed, const ImagePlacement& placement, const std::string& name) {
  placed.low = placement.crop_from.value_or(Vec3i{0, 0, 0});
  placed.high = placement.crop_to.value_or(placed.facts.voxels);
  for (int axis = 0; axis < 3; ++axis)
    if (placed.low[axis] < 0 || placed.high[axis] > placed.facts.voxels[axis] ||
        placed.low[axis] >= placed.high[axis])
      throw UserError(fmt::format(
          "{} is to be cropped from {} to {}, but it has {} voxels along (x, y, z); the part must lie inside "
          "and not be empty.",
          name, text_of(placed.low), text_of(placed.high), text_of(placed.facts.voxels)));
}

// The edges of voxels, and with them how many make a site.
void set_scale(Placed& placed, const ImagePlacement& placement, const ImportGrid& grid) {
  for (int axis = 0; axis < 3; ++axis) {
    double edge = placement.voxel_um ? (*placement.voxel_um)[axis] : placed.image.voxel_um[axis];
    const bool is_flat = axis == 2 && grid.dimension == 2;
    if (!is_flat && edge > 0) placed.facts.voxel_is_known = true;
    if (!(edge > 0) || is_flat) edge = grid.site_um;
    placed.facts.voxel_um[axis] = edge;
    placed.scale[axis] = grid.site_um / edge;
  }
}

Placed placed_image(ImageStack image, const std::string& name, const ImagePlacement& placement,
                    const ImportGrid& grid) {
  Placed placed{std::move(image), {}, {}, {}, {}};
  const std::vector<int64_t>& shape = placed.image.values.shape;
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 1 || n > 0x7FFFFFFF; }))
    throw UserError(fmt::format("{} has the shape {}; every axis must have 1 to 2147483647 voxels.", name,
                                shape_text(shape)));
  placed.facts.voxels = {int32_t(shape[2]), int32_t(shape[1]), int32_t(shape[0])};
  crop(placed, placement, name);
  if (grid.dimension == 2 && placed.high.z - placed.low.z != 1)
    throw UserError(
        fmt::format("{} has {} slices, but the lattice is 2-D; crop it to one of them, or use a lattice with "
                    "a third side.",
                    name, placed.high.z - placed.low.z));
  set_scale(placed, placement, grid);
  placed.facts.sites = resampled_size(placed.high - placed.low, placed.scale);
  double sites = 1;
  for (int axis = 0; axis < 3; ++axis)
    sites *= double(placed.high[axis] - placed.low[axis]) / placed.scale[axis];
  const double need = sites * 8;  // twice as floats while it is smoothed
  if (!(need <= double(grid.most_bytes)))
    throw UserError(fmt::format("{} covers {:.3g} sites of {} µm, which take {} to work on; there are {}.",
                                name, sites, grid.site_um, bytes_text(need),
                                bytes_text(double(grid.most_bytes))));
  return placed;
}

}  // namespace

ImportedMask import_mask(ImageStack image, const std::string& name, const ImagePlacement& placement,
                         const Segmentation& segmentation, const ImportGrid& grid, Volume* seen) {
  Placed placed = placed_image(std::move(image), name, placement, grid);
  const double site_um = grid.site_um;
  const bool is_solid = grid.dimension == 3;
  ImportedMask result{{}, placed.facts};
  Volume volume = volume_of(placed.image.values, placed.low, placed.high);
  placed.image.values = {};
  if (!std::all_of(volume.values.begin(), volume.values.end(), [](float v) { return std::isfinite(v); }))
    throw UserError(fmt::format("{} holds values that are no numbers (NaN or infinite).", name));
  volume = resampled(volume, placed.scale);
  const double sigma = segmentation.smooth_um / site_um;
  smooth(volume, {sigma, sigma, is_solid ? sigma : 0});
  ImageFacts& facts = result.facts;
  facts.threshold = segmentation.threshold ? *segmentation.threshold : double(otsu_threshold(volume));
  result.mask = above(volume, float(facts.threshold));
  if (seen != nullptr) *seen = std::move(volume);
  volume = {};
  if (segmentation.below) invert(result.mask);
  const double site_um3 = is_solid ? site_um * site_um * site_um : site_um * site_um;
  facts.specks = remove_specks(result.mask, int64_t(std::ceil(segmentation.specks_um3 / site_um3)));
  close_gaps(result.mask, segmentation.close_um / site_um);
  const int64_t set = std::count(result.mask.values.begin(), result.mask.values.end(), uint8_t(1));
  facts.share = double(set) / double(result.mask.values.size());
  return result;
}

ImportedLabels import_labels(ImageStack image, const std::string& name, const ImagePlacement& placement,
                             const ImportGrid& grid) {
  Placed placed = placed_image(std::move(image), name, placement, grid);
  if (placed.image.values.kind() != Array::Kind::integer)
    throw UserError(fmt::format("{} holds real numbers; labels must be integers.", name));
  ImportedLabels result{resampled(labels_of(placed.image.values, placed.low, placed.high), placed.scale),
                        placed.facts};
  const auto& values = result.labels.values;
  result.facts.share = double(std::count_if(values.begin(), values.end(), [](int64_t v) { return v != 0; })) /
                       double(values.size());
  return result;
}

}  // namespace kiln
