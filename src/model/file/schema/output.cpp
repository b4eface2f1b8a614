// Sections of what a run leaves: measures, pictures, files.
#include "model/file/schema/limits.hpp"
#include "model/file/schema/schema.hpp"
#include "model/model.hpp"

namespace kiln {
namespace {

using namespace limits;
using enum ValueKind;

constexpr Key kMeasureKeys[] = {
    {"every", whole, 0, kMostMcs, "10", "", "MCS", "between rows of measures.csv; 0: never"},
    {"cells_every", whole, 0, kMostMcs, "100", "", "MCS",
     "between samples of all cells in cells.csv or cells.h5 (tracks); 0: never"},
    {"cells_format", choice, 0, 0, "\"auto\"", "auto|csv|hdf5", "",
     "of the tracks; `auto`: cells.csv up to a million rows, else cells.h5"},
    {"one_cell_in", whole, 1, 4e9,
     "(1, or what keeps cells.csv below a million rows, cells.h5 below 100 million)", "", "",
     "the tracks hold one cell in so many; 1: all of them"},
    {"speed_interval_s", real_or_reals, 0, 1e12, "(120, or 0 where `every` is 0)", "", "s",
     "over which the speeds in speeds.csv and motility.csv are taken, rounded to whole MCS; several are "
     "taken "
     "side by side; 0: never"},
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
    {"mixed_within_um", reals, 1e-6, 1e12, "[]", "", "µm",
     "with `halves`: distances of centroids at which a cell counts as mixed, a column of measures.csv each"},
    {"direction_correlation", flag, 0, 0, "false", "", "",
     "whether cells near each other go the same way over each interval of speeds, every `cells_every`"},
    {"correlation_distance_um", real, 1e-6, 1e12, "50", "", "µm", "up to which cells are compared"},
    {"correlation_cells", whole, 1, 4e9, "10000", "", "",
     "at most so many cells, every k-th, are compared with all around them"},
};

constexpr Key kPictureKeys[] = {
    {"view", choice, 0, 0, "\"slice\"", "", "", "what is drawn"},
    {"name", file_stem, 0, 0, "(view and colour)", "", "", "of the files; no two alike"},
    {"colour", choice_or_property, 0, 0, "\"type\"", "type|cell|act", "", "what the colours show"},
    {"range", reals, -1e300, 1e300, "(from the least to the largest in each picture)", "", "",
     "with the colour of a property or a substance: the two values at the ends of the scale"},
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

constinit const Section kMeasureSection{"measure", "[measure]", "What is written down.", kMeasureKeys};
constinit const Section kPictureSection{"pictures",
                                        "[[pictures]]",
                                        "Without any: a slice coloured by type and, in 3-D, a solid view. "
                                        "`pictures = []` at the top level: none.",
                                        kPictureKeys,
                                        "view",
                                        kPictureVariants};
constinit const Section kOutputSection{"output", "[output]", "What else is kept.", kOutputKeys};

}  // namespace kiln
