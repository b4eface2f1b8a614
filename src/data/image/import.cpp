#include "data/image/import.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/wording.hpp"

namespace kiln {
namespace {

struct Placed {
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

// The edges of a voxel over its narrowest one, where a file tells these but no unit; else 0.
Vec3d proportions(const ImageHeader& header, int dimension) {
  const Vec3d& r = header.voxel_ratio;
  const double narrowest = dimension == 2 ? std::min(r.x, r.y) : std::min({r.x, r.y, r.z});
  const bool known = narrowest > 0 && header.voxel_um == Vec3d{};
  return known ? r * (1 / narrowest) : Vec3d{};
}

// The edges of voxels, and with them how many make a site.
void set_scale(Placed& placed, const ImagePlacement& placement, const ImageHeader& header,
               const ImportGrid& grid) {
  const Vec3d in_sites = proportions(header, grid.dimension);
  for (int axis = 0; axis < 3; ++axis) {
    double edge = placement.voxel_um ? (*placement.voxel_um)[axis] : header.voxel_um[axis];
    const bool is_flat = axis == 2 && grid.dimension == 2;
    if (!is_flat && edge > 0) placed.facts.voxel_is_known = true;
    if (!(edge > 0) && in_sites[axis] > 0) {
      edge = grid.site_um * in_sites[axis];
      placed.facts.only_proportions = true;
    }
    if (!(edge > 0) || is_flat) edge = grid.site_um;
    placed.facts.voxel_um[axis] = edge;
    placed.scale[axis] = grid.site_um / edge;
  }
}

// So many planes at a time that they fit into memory with room to spare.
constexpr int64_t kSlabVoxels = int64_t(1) << 25;

int64_t slab_planes(const std::array<int64_t, 3>& zyx) {
  return std::max<int64_t>(1, kSlabVoxels / (zyx[1] * zyx[2]));
}

// In sites.
Vec3d length_of(const Placed& placed) {
  const Vec3i size = placed.high - placed.low;
  Vec3d length;
  for (int axis = 0; axis < 3; ++axis) length[axis] = std::max(1.0, double(size[axis]) / placed.scale[axis]);
  return length;
}

void check_length(const Placed& placed, const ImageHeader& header, const ImportGrid& grid) {
  const Vec3d length = length_of(placed);
  for (int axis = 0; axis < 3; ++axis)
    if (!(length[axis] < 0x7FFFFFFF))
      throw UserError(
          fmt::format("{} covers {:.3g} sites of {} µm along {}; at most 2147483646 are allowed{}.",
                      header.name, length[axis], grid.site_um, "xyz"[axis], voxel_hint(placed.facts, grid)));
}

// Refuses what would take more memory than there is.
void check_memory(double need, const Placed& placed, const ImageHeader& header, const ImportGrid& grid) {
  if (need <= double(grid.most_bytes)) return;
  const Vec3d length = length_of(placed);
  throw UserError(fmt::format("{} covers {:.3g} sites of {} µm{}, which take {} to work on; there are {}.",
                              header.name, length.x * length.y * length.z, grid.site_um,
                              voxel_hint(placed.facts, grid), bytes_text(need),
                              bytes_text(double(grid.most_bytes))));
}

// A bit for every site, two while gaps are closed; the window of planes; and the values, where they are kept.
double bytes_for_mask(const Placed& placed, const Segmentation& segmentation, const ImportGrid& grid,
                      bool seen) {
  const Vec3d length = length_of(placed);
  const double sites = length.x * length.y * length.z;
  const double reach = std::max(double(reach_of_smoothing(segmentation.smooth_um / grid.site_um)),
                                segmentation.close_um / grid.site_um);
  const double along_z = placed.scale.z == 1 ? 0 : std::max(placed.scale.z, 2.0);
  const double planes = std::min(2 * reach + 1, length.z) + along_z + 1;
  const double bits = sites / 8 * (segmentation.close_um > 0 ? 2 : 1);
  const bool keeps_planes = !segmentation.threshold && sites <= double(kSmallVolume);
  return bits + 4 * length.x * length.y * planes + 4 * sites * (int(seen) + int(keeps_planes));
}

double bytes_for_labels(const Placed& placed) {
  const Vec3d length = length_of(placed);
  return 8 * length.x * length.y * length.z;
}

Placed placed_image(const ImageHeader& header, const ImagePlacement& placement, const ImportGrid& grid) {
  Placed placed;
  const std::string& name = header.name;
  const auto& shape = header.zyx;
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < 1 || n > 0x7FFFFFFF; }))
    throw UserError(fmt::format("{} has the shape {}; every axis must have 1 to 2147483647 voxels.", name,
                                shape_text({shape.begin(), shape.end()})));
  placed.facts.voxels = {int32_t(shape[2]), int32_t(shape[1]), int32_t(shape[0])};
  crop(placed, placement, name);
  if (grid.dimension == 2 && placed.high.z - placed.low.z != 1)
    throw UserError(
        fmt::format("{} has {} slices, but the lattice is 2-D; crop it to one of them, or use a lattice with "
                    "a third side.",
                    name, placed.high.z - placed.low.z));
  set_scale(placed, placement, header, grid);
  check_length(placed, header, grid);
  placed.facts.sites = resampled_size(placed.high - placed.low, placed.scale);
  return placed;
}

// Calls visit(planes, first, end) for the planes that are used, slab by slab, counted from the first of them.
template <class Visit>
void for_each_slab(ImageSource& image, const Placed& placed, const ImportGrid& grid, const Visit& visit) {
  const int64_t planes = slab_planes(image.header().zyx);
  for (int64_t z = placed.low.z; z < placed.high.z; z += planes) {
    const int64_t end = std::min<int64_t>(z + planes, placed.high.z);
    visit(image.planes(z, end, grid.most_bytes), int32_t(z - placed.low.z), int32_t(end - placed.low.z));
  }
}

// The image on the sites that it covers. Refers to the image.
Planes planes_of(ImageSource& image, const Placed& placed, const ImportGrid& grid) {
  const auto read = [&image, placed, grid](const Planes::Visit& visit) {
    for_each_slab(image, placed, grid, [&](const Array& planes, int32_t first, int32_t end) {
      for (int32_t z = 0; z < end - first; ++z) {
        Volume plane =
            volume_of(planes, {placed.low.x, placed.low.y, z}, {placed.high.x, placed.high.y, z + 1});
        if (!std::all_of(plane.values.begin(), plane.values.end(), [](float v) { return std::isfinite(v); }))
          throw UserError(
              fmt::format("{} holds values that are no numbers (NaN or infinite).", image.header().name));
        visit(first + z, std::move(plane));
      }
    });
  };
  return resampled(Planes{placed.high - placed.low, read}, placed.scale);
}

// Programs store labels as floats, too. Beyond 2^53 these cannot tell one from the next.
void check_labels(const std::string& name, const Array& planes) {
  if (planes.kind() == Array::Kind::integer) return;
  constexpr double kMost = 9007199254740992.0;
  for (std::size_t i = 0; i < planes.size(); ++i)
    if (const double value = planes.real(i); !(std::abs(value) <= kMost) || value != std::floor(value))
      throw UserError(fmt::format("{} holds the value {}; labels must be integers.", name, value));
}

}  // namespace

std::string voxel_hint(const ImageFacts& facts, const ImportGrid& grid) {
  const Vec3d& edge = facts.voxel_um;
  const bool as_sites =
      edge.x == grid.site_um && edge.y == grid.site_um && (grid.dimension == 2 || edge.z == grid.site_um);
  if (!facts.voxel_is_known || as_sites) return "";
  return fmt::format(
      " (its voxels are {:.4g} x {:.4g}{} µm wide and sites {:g} µm; voxel_um of the image corrects the "
      "first)",
      edge.x, edge.y, grid.dimension == 2 ? "" : fmt::format(" x {:.4g}", edge.z), grid.site_um);
}

ImportedMask import_mask(ImageSource& image, const ImagePlacement& placement,
                         const Segmentation& segmentation, const ImportGrid& grid, Volume* seen) {
  const Placed placed = placed_image(image.header(), placement, grid);
  check_memory(bytes_for_mask(placed, segmentation, grid, seen != nullptr), placed, image.header(), grid);
  const double site_um = grid.site_um;
  const bool is_solid = grid.dimension == 3;
  ImportedMask result{SiteBits(placed.facts.sites), placed.facts};
  const double sigma = segmentation.smooth_um / site_um;
  const Vec3i& sites = placed.facts.sites;
  if (const int32_t longest = std::max({sites.x, sites.y, sites.z}); sigma > longest)
    throw UserError(fmt::format("{} is to be smoothed over {:g} µm, but it is only {:g} µm long.",
                                image.header().name, segmentation.smooth_um, longest * site_um));
  Planes planes = smoothed(planes_of(image, placed, grid), {sigma, sigma, is_solid ? sigma : 0});
  ImageFacts& facts = result.facts;
  if (!segmentation.threshold) planes = kept_where_small(std::move(planes));
  facts.threshold = segmentation.threshold ? *segmentation.threshold : double(otsu_threshold(planes));
  if (seen != nullptr) *seen = Volume(sites);
  planes.each([&](int32_t z, const Volume& plane) {
    const auto threshold = float(facts.threshold);
    for_rows(plane.size, [&](int32_t y, int32_t) {
      for (int32_t x = 0; x < sites.x; ++x)
        if ((plane.at(x, y, 0) > threshold) != segmentation.below) result.mask.set({x, y, z}, true);
    });
    if (seen != nullptr) std::copy(plane.values.begin(), plane.values.end(), &seen->at(0, 0, z));
  });
  const double site_um3 = is_solid ? site_um * site_um * site_um : site_um * site_um;
  const double all = double(sites.x) * sites.y * sites.z;
  const double least = std::min(segmentation.specks_um3 / site_um3, all + 1);
  facts.specks = remove_specks(result.mask, int64_t(std::ceil(least)));
  close_gaps(result.mask, segmentation.close_um / site_um);
  facts.share = double(result.mask.count()) / all;
  return result;
}

ImageFacts place_labels(const ImageSource& image, const ImagePlacement& placement, const ImportGrid& grid) {
  return placed_image(image.header(), placement, grid).facts;
}

void for_each_label_plane(ImageSource& image, const ImagePlacement& placement, const ImportGrid& grid,
                          const std::function<void(int32_t z, const Grid<int64_t>& plane)>& visit) {
  const Placed placed = placed_image(image.header(), placement, grid);
  const Vec3i& sites = placed.facts.sites;
  Grid<int64_t> plane({sites.x, sites.y, 1});
  int32_t z = 0;  // the next plane of sites
  for_each_slab(image, placed, grid, [&](const Array& planes, int32_t first, int32_t end) {
    check_labels(image.header().name, planes);
    const Grid<int64_t> slab = resampled(
        labels_of(planes, {placed.low.x, placed.low.y, 0}, {placed.high.x, placed.high.y, end - first}),
        {placed.scale.x, placed.scale.y, 1});
    const auto nearest = [&] { return nearest_voxel(z, placed.scale.z, placed.high.z - placed.low.z); };
    for (; z < sites.z && nearest() < end; ++z) {
      std::copy_n(&slab.at(0, 0, nearest() - first), slab.stride(2), plane.values.begin());
      visit(z, plane);
    }
  });
}

ImportedLabels import_labels(ImageSource& image, const ImagePlacement& placement, const ImportGrid& grid) {
  const Placed placed = placed_image(image.header(), placement, grid);
  check_memory(bytes_for_labels(placed), placed, image.header(), grid);
  ImportedLabels result{Grid<int64_t>(placed.facts.sites), placed.facts};
  for_each_label_plane(image, placement, grid, [&](int32_t z, const Grid<int64_t>& plane) {
    std::copy(plane.values.begin(), plane.values.end(), &result.labels.at(0, 0, z));
  });
  const auto& values = result.labels.values;
  result.facts.share = double(std::count_if(values.begin(), values.end(), [](int64_t v) { return v != 0; })) /
                       double(values.size());
  return result;
}

}  // namespace kiln
