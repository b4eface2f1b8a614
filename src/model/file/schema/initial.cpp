// Sections of the first state: steps, regions, masks, generated stacks.
#include <algorithm>
#include <array>

#include "model/file/schema/limits.hpp"
#include "model/file/schema/schema.hpp"

namespace kiln {
namespace {

using namespace limits;
using enum ValueKind;

constexpr Key kInitialKeys[] = {
    {"kind", choice, 0, 0, "\"boxes\"", "", "", "what is placed"},
    {"type", type_name, 0, 0, "(the only type there is)", "", "", "type of the new cells"},
    {"types", weights, 0, 1e9, "(unused)", "", "",
     "instead of `type`: weights, such as `{ light = 1, dark = 1 }`"},
    {"region", table, 0, 0, "{ shape = \"all\" }", "", "", "where; see below"},
    {"mask", table, 0, 0, "(none)", "", "", "an image outside of which nothing is taken; see below"},
};
constexpr Key kBoxesKeys[] = {
    {"box", whole_per_axis, 1, kMostSide, "(near the type's target volume)", "", "sites", "sides of a box"},
    {"spacing", whole_per_axis, 1, kMostSide, "(the box)", "", "sites", "from one box's corner to the next"},
    {"slivers", choice, 0, 0, "\"keep\"", "keep|give|drop", "",
     "boxes cut too small by an edge: cells like any other, or given to the neighbour with the longest "
     "common border, "
     "or left out"},
    {"smallest_share", real, 0, 1, "0.4", "", "", "of a whole box; what has less is a sliver"},
};
constexpr Key kHexagonalKeys[] = {
    {"volume", real, 1, 1e12, "(the type's target volume)", "", "sites", "of a cell"},
    {"slivers", choice, 0, 0, "\"give\"", "keep|give|drop", "",
     "cells cut too small by an edge: given to the neighbour with the longest common border, or kept, or "
     "left out"},
    {"smallest_share", real, 0, 1, "0.4", "", "", "of a whole cell; what has less is a sliver"},
};
constexpr Key kVoronoiKeys[] = {
    {"count", whole, 0, 4e9, "(unused)", "", "", "how many; this, `density` or `volume`"},
    {"density", real, 0, 1, "(unused)", "", "",
     "as many as would take this share of the free sites at their target volume"},
    {"volume", real, 1, 1e12, "(the type's target volume)", "", "sites", "as many as have this mean volume"},
    {"relax", whole, 0, 1000, "0", "", "",
     "how often each seed is moved to the centroid of its cell, which makes cells rounder and more alike"},
    {"slivers", choice, 0, 0, "\"keep\"", "keep|give|drop", "",
     "small cells: kept, or given to the neighbour with the longest common border, or left out"},
    {"smallest_share", real, 0, 1, "0.4", "", "", "of the mean volume; what has less is a sliver"},
};
constexpr Key kSeedsKeys[] = {
    {"count", whole, 0, 4e9, "(unused)", "", "", "how many; either this or `density`"},
    {"density", real, 0, 1, "(unused)", "", "",
     "share of the free sites taken once cells have their target volume"},
    {"radius", real, 0, kMostSide, "1", "", "sites", "of each ball"},
};
constexpr Key kTubeKeys[] = {
    {"from", place, -kAnyPlace, kAnyPlace, kRequired, "", "sites", "one end"},
    {"to", place, -kAnyPlace, kAnyPlace, kRequired, "", "sites", "the other end"},
    {"radius", real, 0, kMostSide, "2", "", "sites", "of the tube and its round ends"},
};
constexpr Key kNetworkKeys[] = {
    {"fraction", real, 1e-6, 1, "0.06", "", "", "share of the region that the network takes"},
    {"radius", real, 0.5, kMostSide, "1.5", "", "sites", "of the strands"},
    {"node_spacing", real, 1, kMostSide, "(10 times the radius)", "", "sites", "mean distance of the nodes"},
};
constexpr Key kLabelFileKeys[] = {
    {"file", text, 0, 0, kRequired, "", "",
     "TIFF or OME-TIFF, a folder of numbered TIFF slices, .npy of shape (ny, nx) or (nz, ny, nx), HDF5, or "
     "PNG (grey or palette)"},
};
constexpr Key kImageSourceKeys[] = {
    {"file", text, 0, 0, "(unused)", "", "",
     "TIFF or OME-TIFF, a folder of numbered TIFF slices, .npy of shape (ny, nx) or (nz, ny, nx), HDF5, or "
     "PNG (grey or palette); "
     "either this or `phantom`"},
    {"phantom", table, 0, 0, "(unused)", "", "", "a stack that is generated; see below"},
};
constexpr Key kPlacementKeys[] = {
    {"dataset", text, 0, 0, "\"\"", "", "", "HDF5: which one; may be left out where there is only one"},
    {"channel", whole, 0, 1e6, "0", "", "", "of an image with several, counted from 0"},
    {"time", whole, 0, 1e6, "0", "", "", "of a series, counted from 0"},
    {"voxel_um", real_per_axis, 1e-6, 1e6, "(what the file says, else units.voxel_um)", "", "µm",
     "edges of the image's voxels; where they are not those of a site, the image is resampled"},
    {"crop_from", whole_per_axis, 0, kMostSide, "(the first voxel)", "", "voxels", "first one that is used"},
    {"crop_to", whole_per_axis, 1, kMostSide, "(the last voxel)", "", "voxels", "first one beyond"},
};
constexpr Key kSegmentKeys[] = {
    {"smooth_um", real, 0, 1e6, "0", "", "µm", "standard deviation of a Gaussian, before anything else"},
    {"threshold", choice_or_real, -1e30, 1e30, "\"otsu\"", "otsu", "", "what parts the image in two"},
    {"keep", choice, 0, 0, "\"above\"", "above|below", "", "which side of the threshold counts"},
    {"specks_um3", real, 0, 1e18, "0", "", "µm³", "smaller pieces are dropped; in 2-D an area in µm²"},
    {"close_um", real, 0, 1e6, "0", "", "µm", "gaps that a ball of this radius does not get into are filled"},
    {"mirror", flag, 0, 0, "true", "", "",
     "fill a larger lattice with mirror images, one after the other; else the rest stays as it is"},
};
constexpr Key kLabelTypesKeys[] = {
    {"offset", choice_or_whole_per_axis, -kMostSide, kMostSide, "(unused)", "centre", "sites",
     "where the image's first voxel comes to lie; the image may then be smaller than the lattice, with "
     "medium around "
     "it, or larger. Without it both must have the same size"},
    {"label_types", labels, 0, 0, "{}", "", "",
     "types of single labels, such as `{ \"1\" = \"tcell\" }`; the others are of `type`"},
    {"label_types_file", text, 0, 0, "(unused)", "", "",
     "instead: a CSV file with the columns `label` and `type`"},
};
template <std::size_t N, std::size_t M, std::size_t K>
constexpr std::array<Key, N + M + K> all_of(const Key (&first)[N], const Key (&second)[M],
                                            const Key (&third)[K]) {
  std::array<Key, N + M + K> all{};
  std::copy(third, third + K, std::copy(second, second + M, std::copy(first, first + N, all.begin())));
  return all;
}
constexpr auto kImageKeys = all_of(kImageSourceKeys, kPlacementKeys, kSegmentKeys);
constexpr auto kLabelsKeys = all_of(kLabelFileKeys, kPlacementKeys, kLabelTypesKeys);
constexpr Variant kInitialVariants[] = {
    {"boxes", "a grid of boxes, one cell each, cut at the lattice's edge and by the region", kBoxesKeys},
    {"hexagonal",
     "hexagons in rows along x; in 3-D such layers stacked along z, a hexagonal close packing. Rows are "
     "stretched a "
     "little so that whole cells fit into the region's box",
     kHexagonalKeys},
    {"voronoi", "each cell has the sites nearest to its seed; seeds are free sites drawn at random",
     kVoronoiKeys},
    {"seeds", "balls at random places, one cell each", kSeedsKeys},
    {"fill", "one cell that takes the whole region", {}},
    {"tube", "one cell: a cylinder with round ends", kTubeKeys},
    {"network", "one cell: random nodes joined by strands", kNetworkKeys},
    {"labels", "cells from an image of labels; label 0 stays as it is", kLabelsKeys},
    {"image", "one cell: what is bright, or dark, in an image", kImageKeys},
};

constexpr Key kRegionKeys[] = {
    {"shape", choice, 0, 0, kRequired, "", "", "the region's shape"},
};
constexpr Key kBallKeys[] = {
    {"centre", place, -kAnyPlace, kAnyPlace, "(the lattice's centre)", "", "sites", "of the ball"},
    {"radius", real, 0, kAnyPlace, "(half the shortest side of the lattice)", "", "sites", "of the ball"},
    {"outside", flag, 0, 0, "false", "", "", "take all that lies outside instead"},
};
constexpr Key kBoxKeys[] = {
    {"low", place, -kAnyPlace, kAnyPlace, "(the lattice's first corner)", "", "sites", "first place inside"},
    {"high", place, -kAnyPlace, kAnyPlace, "(the lattice's last corner)", "", "sites", "first place beyond"},
    {"outside", flag, 0, 0, "false", "", "", "take all that lies outside instead"},
};
constexpr Key kTubeRegionKeys[] = {
    {"from", place, -kAnyPlace, kAnyPlace, kRequired, "", "sites", "one end"},
    {"to", place, -kAnyPlace, kAnyPlace, kRequired, "", "sites", "the other end"},
    {"radius", real, 0, kAnyPlace, kRequired, "", "sites", "of the tube and its round ends"},
    {"outside", flag, 0, 0, "false", "", "", "take all that lies outside instead"},
};
constexpr Key kPartsKeys[] = {
    {"of", tables, 0, 0, kRequired, "", "",
     "the regions, such as `[{ shape = \"ball\", radius = 20 }, { shape = \"ball\", radius = 15 }]`"},
    {"outside", flag, 0, 0, "false", "", "", "take all that lies outside instead"},
};
constexpr Variant kRegionVariants[] = {
    {"all", "the whole lattice", {}},
    {"ball", "a ball (a disc in 2-D)", kBallKeys},
    {"box", "a box (a rectangle in 2-D)", kBoxKeys},
    {"tube", "a cylinder with round ends", kTubeRegionKeys},
    {"union", "what lies in any of several regions", kPartsKeys},
    {"intersection", "what lies in all of them", kPartsKeys},
    {"difference", "what lies in the first but in none of the others", kPartsKeys},
};

constexpr Key kPhantomKeys[] = {
    {"kind", choice, 0, 0, kRequired, "sinusoids|reticulum", "",
     "vessels of the liver, or the stromal network of a lymph node"},
    {"size_um", real_per_axis, 8, 1e5, "[128, 128, 64]", "", "µm", "of the stack"},
    {"voxel_um", real_per_axis, 0.05, 100, "[0.5, 0.5, 1]", "", "µm", "edges of its voxels"},
    {"noise", real, 0, 100, "1.5", "", "", "in units of the noise of counted photons"},
    {"seed", whole, 0, kMostSeed, "1", "", "", "of its random numbers; the model's own does not touch it"},
};

}  // namespace

constinit const Section kInitialSection{
    "initial",
    "[[initial]]",
    "Steps that build the first state, in order; each takes only sites that are still medium. Without any, "
    "boxes near "
    "the target volume of the first type that is not frozen fill the lattice.",
    kInitialKeys,
    "kind",
    kInitialVariants};
constinit const Section kRegionSection{
    "region", "region = { ... }", "The part of the lattice that a step of [[initial]] may use.", kRegionKeys,
    "shape",  kRegionVariants};
constinit const Section kMaskSection{
    "mask", "mask = { ... }",
    "A step of [[initial]] with a mask takes only sites that an image keeps, besides those of its region: "
    "those above its threshold, or below.",
    kImageKeys};
constinit const Section kPhantomSection{
    "phantom", "phantom = { ... }",
    "A noisy stack as a microscope might give it, in place of a file: what `kiln phantom` writes.",
    kPhantomKeys};

}  // namespace kiln
