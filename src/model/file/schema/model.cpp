// Sections of the model itself: lattice, types, energies, fields, phases, schedule.
#include "core/neighbourhood.hpp"
#include "model/file/schema/limits.hpp"
#include "model/file/schema/schema.hpp"
#include "terms/adhesion.hpp"

namespace kiln {
namespace {

using namespace limits;
using enum ValueKind;

constexpr Key kTopKeys[] = {
    {"title", text, 0, 0, "(the file's name)", "", "",
     "one line that names the model in reports and pictures"},
    {"seed", whole, 0, kMostSeed, "1", "", "",
     "start of the random numbers; same model and seed, same result"},
    {"temperature", real, 0, 1e9, "20", "", "energy",
     "T: a copy that costs dH happens with probability exp(-dH/T)"},
    {"fidelity", choice, 0, 0, "\"standard\"", "standard|close|strict", "",
     "how closely a parallel run has to follow the serial chain; `close` is a little slower for soft and for "
     "persistent cells, `strict` for all (docs/parallel.md)"},
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
    {"seconds_per_mcs", real, 1e-9, 1e9, "1", "", "s",
     "duration of a Monte Carlo step; for reports, and for what happens in time: growth, rates, equations"},
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
    {"properties", table, 0, 0, "(none)", "", "", "numbers of each cell; see below"},
    {"equations", table, 0, 0, "(none)", "", "", "how properties change in time; see below"},
    {"growth", table, 0, 0, "(none)", "", "", "of the target volume; see below"},
    {"secretes", table, 0, 0, "(none)", "", "", "substances; see below"},
    {"takes_up", table, 0, 0, "(none)", "", "", "substances; see below"},
    {"holds", table, 0, 0, "(none)", "", "", "concentrations of substances; see below"},
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
    {"switch_every", whole, 1, 1e6, "1", "", "attempts",
     "of a block before the next region becomes active; at most as many as a region has sites"},
    {"order", choice, 0, 0, "\"cycle\"", "cycle|random", "",
     "whether the regions of a block take turns, x fastest, or are drawn at random"},
    {"conflict", choice, 0, 0, "\"atomic\"", "atomic|mutex", "",
     "copies that change one cell at the same time: all count, or only the first"},
    {"draws", choice, 0, 0, "\"target\"", "target|source", "",
     "which of an attempt's two sites is drawn in the active region; the other is a neighbour of it"},
    {"barriers", choice, 0, 0, "\"attempt\"", "attempt|region|none", "",
     "when blocks wait for each other: after every attempt, when the active region switches, or only at the "
     "end "
     "of an MCS"},
    {"reseed", choice, 0, 0, "\"run\"", "run|launch", "",
     "`launch` is a fault, kept to see what it does: random numbers begin anew with every MCS, so that each "
     "replays the one before (docs/replayed-random-numbers.md)"},
    {"replayed_mcs", whole, 1, 1e9, "60", "", "MCS",
     "with `reseed = \"launch\"`: after so many the random numbers are others"},
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
    "term that is not named does not act. `medium` is always there; it has a colour, and may secrete, take "
    "up or hold substances. A model that "
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

}  // namespace kiln
