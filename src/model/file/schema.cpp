#include "model/file/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/neighbourhood.hpp"
#include "model/model.hpp"
#include "terms/adhesion.hpp"

namespace kiln {
namespace {

using enum ValueKind;

constexpr double kMostMcs = 1e12;
constexpr double kMostSide = 1e6;
constexpr double kAnyPlace = 1e7;
constexpr double kMostSeed = 9223372036854775807.0;

constexpr Key kTopKeys[] = {
    {"title", text, 0, 0, "(the file's name)", "", "",
     "one line that names the model in reports and pictures"},
    {"seed", whole, 0, kMostSeed, "1", "", "",
     "start of the random numbers; same model and seed, same result"},
    {"temperature", real, 0, 1e9, "20", "", "energy",
     "T: a copy that costs dH happens with probability exp(-dH/T)"},
    {"fidelity", choice, 0, 0, "\"standard\"", "standard|strict", "",
     "how closely a parallel run has to follow the serial chain; `strict` is slower"},
    {"mcs", whole, 0, kMostMcs, "1000", "", "MCS", "length of the run; only in models without [[phases]]"},
};

constexpr Key kLatticeKeys[] = {
    {"size", size, 1, kMostSide, kRequired, "", "sites",
     "`[x, y]` or `[x, y, z]`: this makes a model 2-D or 3-D"},
    {"boundary", choice_per_axis, 0, 0, "\"periodic\"", "periodic|closed", "",
     "what lies beyond the last site: the other side, or nothing"},
};

constexpr Key kUnitsKeys[] = {
    {"voxel_um", real, 1e-6, 1e6, "1", "", "µm", "edge of a site; for reports, and to fit images"},
    {"seconds_per_mcs", real, 1e-9, 1e9, "1", "", "s", "duration of a Monte Carlo step; for reports only"},
};

constexpr Key kNeighbourhoodKeys[] = {
    {"adhesion", order, 1, kMaxOrder, "\"moore\"", "moore|von-neumann", "",
     "which neighbours adhesion sums over"},
    {"perimeter", order, 1, kMaxOrder, "\"moore\"", "moore|von-neumann", "",
     "which neighbours make up a perimeter"},
};

constexpr Key kTypeKeys[] = {
    {"colour", colour, 0, 0, "(the next of a built-in list)", "", "", "in pictures"},
    {"frozen", flag, 0, 0, "false", "", "", "its sites never change: walls, stroma"},
    {"hidden", flag, 0, 0, "false", "", "", "left out of solid pictures"},
};

constexpr Key kAdhesionKeys[] = {
    {"default", real, -adhesion::kLargestJ, adhesion::kLargestJ, "0", "", "energy",
     "J of every pair that is not named"},
};

constexpr Key kFieldKeys[] = {
    {"shape", choice, 0, 0, kRequired, "", "", "how the vectors are made"},
    {"strength", real, -1e6, 1e6, "1", "", "", "length of the vectors; stored ones are multiplied by it"},
};
constexpr Key kUniformKeys[] = {
    {"direction", place, -1e6, 1e6, kRequired, "", "", "where all vectors point; any length but 0"},
};
constexpr Key kRadialKeys[] = {
    {"centre", place, -kAnyPlace, kAnyPlace, "(the lattice's centre)", "", "sites",
     "the vectors point away from it"},
};
constexpr Key kCircularKeys[] = {
    {"centre", place, -kAnyPlace, kAnyPlace, "(the lattice's centre)", "", "sites",
     "the vectors turn around it"},
    {"axis", place, -1e6, 1e6, "(the z axis)", "", "", "3-D: what they turn around, counter-clockwise"},
};
constexpr Key kFieldFileKeys[] = {
    {"file", text, 0, 0, kRequired, "", "", "a .npy array of shape (ny, nx, 2) or (nz, ny, nx, 3)"},
};
constexpr Variant kFieldVariants[] = {
    {"uniform", "the same vector everywhere", kUniformKeys},
    {"radial", "unit vectors away from a centre", kRadialKeys},
    {"circular", "unit vectors around a centre", kCircularKeys},
    {"file", "vectors from an array", kFieldFileKeys},
};

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

constexpr Key kPhaseKeys[] = {
    {"name", text, 0, 0, "(phase-1, phase-2, ...)", "", "", "for reports"},
    {"mcs", whole, 0, kMostMcs, kRequired, "", "MCS", "length of the phase"},
    {"measure", flag, 0, 0, "true", "", "", "whether measures and pictures are taken"},
    {"set", overrides, 0, 0, "{}", "", "",
     "what differs from the rest of the file: `temperature`, `adhesion.A.B`, `types.NAME.TERM.PARAMETER`"},
};

constexpr Key kScheduleKeys[] = {
    {"checkerboard", table, 0, 0, "{}", "", "", "for `--schedule checkerboard`; see below"},
};

constexpr Key kCheckerboardKeys[] = {
    {"region", whole, 1, 64, "4", "", "sites",
     "side of an active region; `per_thread` must be a multiple of it"},
    {"per_thread", whole, 3, 128, "8", "", "sites",
     "side of a block, which one thread of a GPU plays; a periodic side of the lattice must be a multiple of "
     "it"},
    {"switch_every", whole, 1, 1e9, "1", "", "attempts", "of a block before the next region becomes active"},
    {"order", choice, 0, 0, "\"cycle\"", "cycle|random", "",
     "whether the regions of a block take turns, x fastest, or are drawn at random"},
    {"conflict", choice, 0, 0, "\"atomic\"", "atomic|mutex", "",
     "copies that change one cell at the same time: all count, or only the first"},
};

constexpr Key kMeasureKeys[] = {
    {"every", whole, 0, kMostMcs, "10", "", "MCS", "between rows of measures.csv; 0: never"},
    {"cells_every", whole, 0, kMostMcs, "100", "", "MCS",
     "between samples of all cells in cells.csv or cells.h5 (tracks); 0: never"},
    {"cells_format", choice, 0, 0, "\"auto\"", "auto|csv|hdf5", "",
     "of the tracks; `auto`: cells.csv up to a million rows, else cells.h5"},
    {"one_cell_in", whole, 1, 4e9,
     "(1, or what keeps cells.csv below a million rows, cells.h5 below 100 million)", "", "",
     "the tracks hold one cell in so many; 1: all of them"},
    {"speed_interval_s", real, 0, 1e12, "(120, or 0 where `every` is 0)", "", "s",
     "over which the speeds in speeds.csv and motility.csv are taken, rounded to whole MCS; 0: never"},
    {"arrest_below_um_per_min", real, 0, 1e9, "2", "", "µm/min",
     "a cell that is slower over an interval counts as arrested"},
    {"reference_speeds", text, 0, 0, "(none)", "", "",
     "a CSV file of speeds in µm/min to compare with, with the columns `low,high,count` or `speed`"},
    {"explored", flag, 0, 0, "false", "", "",
     "the sites that cells were seen on since the phase began, in measures.csv"},
    {"explored_cells", whole, 0, 1e5, "1000", "", "",
     "at most so many cells, every k-th, also have their own sites counted; 0: none"},
    {"halves", choice, 0, 0, "\"none\"", "none|x|y|z", "",
     "split the cells at the lattice's middle along an axis as a phase begins; measures.csv tells how they "
     "mix"},
    {"direction_correlation", flag, 0, 0, "false", "", "",
     "whether cells near each other go the same way over the interval of speeds, every `cells_every`"},
    {"correlation_distance_um", real, 1e-6, 1e12, "50", "", "µm", "up to which cells are compared"},
    {"correlation_cells", whole, 1, 4e9, "10000", "", "",
     "at most so many cells, every k-th, are compared with all around them"},
};

constexpr Key kPictureKeys[] = {
    {"view", choice, 0, 0, "\"slice\"", "", "", "what is drawn"},
    {"name", file_stem, 0, 0, "(view and colour)", "", "", "of the files; no two alike"},
    {"colour", choice, 0, 0, "\"type\"", "type|cell|act", "", "what the colours show"},
    {"frame", choice, 0, 0, "(tissue; lattice where cells migrate)", "lattice|tissue", "",
     "what fills the picture: all of the lattice, or the cells in the first picture with a margin, and more "
     "as soon as "
     "they come to its edge; cells that have act, persistence or chemotaxis migrate"},
    {"width", whole, 0, kWidestPicture, "0", "", "pixels",
     "of the picture, exactly; 0: one that makes a site a whole number of pixels"},
    {"decoration", choice, 0, 0, "\"full\"", "full|scale|none", "",
     "below the picture, from a width of 200 pixels on: a scale bar, the time, types or the range of Act, "
     "and in 3-D the axes; the "
     "first two only; nothing"},
    {"every", whole, 0, kMostMcs, "0", "", "MCS", "between pictures; 0: first and last state only"},
    {"animation", flag, 0, 0, "false", "", "", "also all pictures of this view as one animated PNG"},
    {"mp4", flag, 0, 0, "true", "", "",
     "the animation also as MP4, at the end of a run where ffmpeg is installed"},
};
constexpr Key kSliceKeys[] = {
    {"axis", choice, 0, 0, "\"z\"", "x|y|z", "", "3-D: the axis that is cut across"},
    {"position", whole, 0, kMostSide, "(the middle)", "", "sites", "3-D: where along that axis"},
    {"borders", flag, 0, 0, "true", "", "", "draw the borders of cells"},
};
constexpr Key kSolidKeys[] = {
    {"cut_away", flag, 0, 0, "false", "", "", "take out the nearest octant"},
    {"one_cell_in", whole, 1, 1e9, "1", "", "",
     "draw one cell in so many, picked at random, and leave out the others; frozen cells are always drawn"},
    {"turn", real, -360, 360, "30", "", "degrees", "camera: around the z axis"},
    {"tilt", real, -90, 90, "25", "", "degrees", "camera: above the horizon"},
};
constexpr Variant kPictureVariants[] = {
    {"slice", "a plane; all of a 2-D lattice", kSliceKeys},
    {"solid", "shaded surfaces of a 3-D lattice", kSolidKeys},
};

constexpr Key kOutputKeys[] = {
    {"lattice_every", whole, 0, kMostMcs, "0", "", "MCS",
     "between snapshots of the lattice; 0: last state only"},
    {"lattice_format", choice, 0, 0, "\"hdf5\"", "hdf5|ome-tiff|both", "",
     "of snapshots: lattice.h5 (h5py, ParaView, `kiln render`), or the cells' ids as labels/*.ome.tif (Fiji, "
     "napari)"},
    {"checkpoint_every", whole, 0, kMostMcs, "0", "", "MCS",
     "between checkpoints, beside those by the clock (`kiln run --checkpoint-every`), at the end and when "
     "interrupted; 0: none"},
};

}  // namespace

constinit const Section kTopSection{"", "Top level", "Values before the first section.", kTopKeys};
constinit const Section kLatticeSection{"lattice", "[lattice]", "The box in which everything happens.",
                                        kLatticeKeys};
constinit const Section kUnitsSection{"units", "[units]", "What a site and a step stand for.", kUnitsKeys};
constinit const Section kNeighbourhoodSection{
    "neighbourhood", "[neighbourhood]",
    "Moore: all 8 or 26 sites that touch. Von Neumann: the 4 or 6 that share a side. A number counts shells "
    "of equal "
    "distance, nearest first. Copies, Act and connectivity always use Moore.",
    kNeighbourhoodKeys};
constinit const Section kTypeSection{
    "types", "[types.NAME]",
    "A cell type, with one table per energy term that acts on it, such as `volume = { target = 150, lambda = "
    "25 }`. A "
    "term that is not named does not act. `medium` is always there; only its colour can be set. A model that "
    "names no "
    "type gets one called `cell`, with a volume of 50 sites and lambda 1 (150 and 25 in 3-D) and J 20.",
    kTypeKeys};
constinit const Section kAdhesionSection{"adhesion", "[adhesion]",
                                         "J of every pair of types, within the range of `default`: "
                                         "`light.dark = 11` is the cost of each pair of neighbouring sites "
                                         "of a `light` and a `dark` cell, `light.light` that of two "
                                         "different `light` cells, `light.medium` that with the "
                                         "medium. The order of the two names does not matter.",
                                         kAdhesionKeys};
constinit const Section kFieldSection{"fields",   "[fields.NAME]", "A vector at every site, for chemotaxis.",
                                      kFieldKeys, "shape",         kFieldVariants};
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
constinit const Section kPhaseSection{"phases", "[[phases]]",
                                      "Parts of a run, one after another, each with its own parameters. "
                                      "Without any there is one phase, `run`, of "
                                      "`mcs` steps.",
                                      kPhaseKeys};
constinit const Section kScheduleSection{
    "schedule", "[schedule]", "How attempts follow each other, where the command line leaves a choice.",
    kScheduleKeys};
constinit const Section kCheckerboardSection{
    "checkerboard", "checkerboard = { ... }",
    "The dials of the `checkerboard` schedule, in [schedule]. The lattice is cut into blocks, each block "
    "into "
    "regions; one region of every block is active at a time, the same in all of them, and makes an attempt "
    "at a random site. Large regions that switch often come nearest to the serial chain.",
    kCheckerboardKeys};
constinit const Section kMeasureSection{"measure", "[measure]", "What is written down.", kMeasureKeys};
constinit const Section kPictureSection{"pictures",
                                        "[[pictures]]",
                                        "Without any: a slice coloured by type and, in 3-D, a solid view. "
                                        "`pictures = []` at the top level: none.",
                                        kPictureKeys,
                                        "view",
                                        kPictureVariants};
constinit const Section kOutputSection{"output", "[output]", "What else is kept.", kOutputKeys};

std::span<const Section* const> all_sections() {
  static constexpr const Section* kAll[] = {
      &kTopSection,      &kLatticeSection, &kUnitsSection,    &kNeighbourhoodSection, &kTypeSection,
      &kAdhesionSection, &kFieldSection,   &kInitialSection,  &kRegionSection,        &kMaskSection,
      &kPhantomSection,  &kPhaseSection,   &kScheduleSection, &kCheckerboardSection,  &kMeasureSection,
      &kPictureSection,  &kOutputSection};
  return kAll;
}

std::vector<std::string_view> choices_of(const Key& key, const Section* section) {
  std::vector<std::string_view> result;
  if (section != nullptr && section->selector == key.name) {
    for (const Variant& v : section->variants) result.push_back(v.choice);
    return result;
  }
  std::string_view rest = key.choices;
  while (!rest.empty()) {
    const std::size_t bar = std::min(rest.find('|'), rest.size());
    result.push_back(rest.substr(0, bar));
    rest.remove_prefix(std::min(bar + 1, rest.size()));
  }
  return result;
}

std::string range_text(const Key& key) {
  const std::string unit = key.unit.empty() ? "" : fmt::format(" ({})", key.unit);
  return fmt::format("between {:g} and {:g}{}", key.least, key.most, unit);
}

std::string allowed(const Key& key, int dimension, const Section* section) {
  std::string quoted_choices;
  for (const std::string_view choice : choices_of(key, section))
    quoted_choices += fmt::format("{}\"{}\"", quoted_choices.empty() ? "" : ", ", choice);
  const std::string per_axis = dimension == 0 ? "one for each axis" : fmt::format("{} of them", dimension);
  switch (key.kind) {
    case whole:
      return "an integer " + range_text(key);
    case real:
      return "a number " + range_text(key);
    case flag:
      return "true or false";
    case text:
      return "a text in quotes";
    case file_stem:
      return "a name of letters, digits, - and _";
    case choice:
      return "one of " + quoted_choices;
    case colour:
      return "a colour such as \"#e07a5f\"";
    case size:
      return "a list of 2 or 3 integers " + range_text(key);
    case choice_per_axis:
      return fmt::format("one of {}, or a list of {}", quoted_choices, per_axis);
    case order:
      return fmt::format("one of {} or an integer {}", quoted_choices, range_text(key));
    case choice_or_real:
      return fmt::format("{} or a number {}", quoted_choices, range_text(key));
    case place:
      return fmt::format("a list of {} numbers {}", dimension == 0 ? "2 or 3" : fmt::to_string(dimension),
                         range_text(key));
    case whole_per_axis:
      return fmt::format("an integer {}, or a list of {}", range_text(key), per_axis);
    case choice_or_whole_per_axis:
      return fmt::format("{}, an integer {}, or a list of {}", quoted_choices, range_text(key), per_axis);
    case real_per_axis:
      return fmt::format("a number {}, or a list of {}", range_text(key), per_axis);
    case type_name:
      return "the name of a cell type";
    case field_name:
      return "the name of a field";
    case weights:
      return "a table of type names and weights " + range_text(key);
    case labels:
      return "a table of labels and type names";
    case table:
      return "a table";
    case tables:
      return "a list of tables";
    case overrides:
      return "a table of keys and values";
  }
  return {};
}

std::string joined(std::span<const std::string_view> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace kiln
