// A tissue from an image: what is read, on which grid, and which of its voxels belong to it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/site_bits.hpp"
#include "data/image/image.hpp"
#include "data/image/segment.hpp"

namespace kiln {

// Where the voxels of an image come to lie.
struct ImagePlacement {
  ImagePart part;
  std::optional<Vec3d> voxel_um;            // in place of what the file says
  std::optional<Vec3i> crop_from, crop_to;  // voxels of the image: first inside, first beyond
};

// What is done to intensities, in this order.
struct Segmentation {
  double smooth_um = 0;             // standard deviation of a Gaussian
  std::optional<double> threshold;  // none: Otsu's
  bool below = false;               // what is below the threshold belongs to it, not what is above
  double specks_um3 = 0;            // smaller pieces are dropped; in 2-D an area
  double close_um = 0;              // gaps that a ball of this radius does not get into are filled
};

// What was understood of an image, for people to look at.
struct ImageFacts {
  Vec3i voxels;    // of the image, before cropping
  Vec3d voxel_um;  // edges; those of a site where none are given
  bool voxel_is_known = false;
  bool only_proportions = false;  // the narrowest edge is taken for a site's
  Vec3i sites;                    // of the grid that it covers
  double threshold = 0;           // that was used
  double share = 0;               // of these sites, those that belong to it
  int64_t specks = 0;             // sites of pieces that were dropped
};

struct ImportedMask {
  SiteBits mask;
  ImageFacts facts;
};
struct ImportedLabels {
  Grid<int64_t> labels;
  ImageFacts facts;
};

// A lattice: its sites are cubes with an edge of `site_um`. In 2-D an image has one slice, whatever its
// thickness.
struct ImportGrid {
  double site_um = 1;
  int dimension = 3;
  std::size_t most_bytes = 0;  // of memory
};

// For messages about sizes that surprise: " (its voxels are 352.8 x 352.8 µm wide ...)", or nothing where
// voxels are sites. Resolutions that were meant for a printer are the usual reason.
std::string voxel_hint(const ImageFacts& facts, const ImportGrid& grid);

// Where `seen` is given, it gets the values that were held against the threshold. Of the image only a slab of
// planes is in memory at a time, and of what is made of it for a mask a window of planes. Throw UserError.
ImportedMask import_mask(ImageSource& image, const ImagePlacement& placement,
                         const Segmentation& segmentation, const ImportGrid& grid, Volume* seen = nullptr);
ImportedLabels import_labels(ImageSource& image, const ImagePlacement& placement, const ImportGrid& grid);
// The same labels, a plane of sites at a time from the lowest z on, and the grid that they cover (but not
// which share of it is labelled): for lattices that no memory holds.
ImageFacts place_labels(const ImageSource& image, const ImagePlacement& placement, const ImportGrid& grid);
void for_each_label_plane(ImageSource& image, const ImagePlacement& placement, const ImportGrid& grid,
                          const std::function<void(int32_t z, const Grid<int64_t>& plane)>& visit);

}  // namespace kiln
