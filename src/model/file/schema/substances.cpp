// Sections of substances, and of what cells do with them.
#include "model/file/schema/limits.hpp"
#include "model/file/schema/schema.hpp"

namespace kiln {
namespace {

using namespace limits;
using enum ValueKind;

constexpr double kMostConcentration = 1e15;

constexpr Key kSubstanceKeys[] = {
    {"diffusion", real, 0, 1e9, kRequired, "", "µm²/s", "how fast it spreads; 0: not at all"},
    {"decay", real, 0, 1e9, "0", "", "1/s", "what is lost, everywhere"},
    {"unit", text, 0, 0, "\"\"", "", "", "of concentrations, for tables and pictures"},
    {"coarsen", order, 1, 64, "1", "auto", "sites",
     "edge of a voxel; the lattice's sides must be multiples of it. `auto`: 1, 2, 4 or 8, at most the radius "
     "of the smallest cells that make, take or follow it, and a third of sqrt(diffusion / decay)"},
    {"boundary", table, 0, 0, "(as the lattice)", "", "", "what lies beyond its sides; see below"},
    {"start", formula, 0, 0, "0", "", "",
     "what there is at the start: a number, a formula of x, y and z (in sites), or a .npy file with a number "
     "per voxel"},
    {"impermeable", type_names, 0, 0, "(none)", "", "", "frozen types that it cannot enter"},
    {"mode", choice, 0, 0, "\"time\"", "time|steady", "",
     "how it follows its sources: in time, or as if it had all the time it needs"},
    {"update_every", whole, 1, kMostMcs, "1", "", "MCS",
     "between two times at which it is brought up to date"},
};

constexpr Key kBoundaryKeys[] = {
    {"x", side, -kMostConcentration, kMostConcentration, "(as the lattice)", "closed|periodic", "",
     "both sides along x; y and z alike"},
    {"y", side, -kMostConcentration, kMostConcentration, "(as the lattice)", "closed|periodic", "", ""},
    {"z", side, -kMostConcentration, kMostConcentration, "(as the lattice)", "closed|periodic", "", ""},
    {"x_low", side, -kMostConcentration, kMostConcentration, "(as x)", "closed", "",
     "the side where x is 0; the others alike"},
    {"x_high", side, -kMostConcentration, kMostConcentration, "(as x)", "closed", "", ""},
    {"y_low", side, -kMostConcentration, kMostConcentration, "(as y)", "closed", "", ""},
    {"y_high", side, -kMostConcentration, kMostConcentration, "(as y)", "closed", "", ""},
    {"z_low", side, -kMostConcentration, kMostConcentration, "(as z)", "closed", "", ""},
    {"z_high", side, -kMostConcentration, kMostConcentration, "(as z)", "closed", "", ""},
};

constexpr Key kSecretesKeys[] = {
    {"rate", formula, 0, 0, kRequired, "", "concentration/s",
     "a number or a formula of the cell; what is below 0 counts as 0"},
    {"per", choice, 0, 0, "\"site\"", "site|cell", "",
     "what a rate is for: a place that is all of the type; or a whole cell, in concentration times sites per "
     "second, spread over its sites"},
};
constexpr Key kTakesUpKeys[] = {
    {"rate", real, 0, 1e9, kRequired, "", "1/s", "times the concentration"},
    {"at_most", real, 0, kMostConcentration, "(no ceiling)", "", "concentration/s", ""},
};
constexpr Key kHoldsKeys[] = {
    {"value", real, 0, kMostConcentration, kRequired, "", "concentration",
     "in voxels of which half or more is of the type"},
};

}  // namespace

constinit const Section kSubstanceSection{"substances", "[substances.NAME]",
                                          "A substance that diffuses and decays, and that cells secrete, "
                                          "take up, hold or follow (docs/substances.md).",
                                          kSubstanceKeys};
constinit const Section kBoundarySection{
    "boundary", "boundary = { ... }",
    "In [substances.NAME]. A side is `\"closed\"`, or has a concentration, or `{ flux = ... }` into the box, "
    "in concentration times µm per second; an axis can be `\"periodic\"`.",
    kBoundaryKeys};
constinit const Section kSecretesSection{
    "secretes", "secretes = { ... }",
    "In [types.NAME], by the substance's name: `secretes.o2 = { rate = 0.1 }`, or just `secretes.o2 = 0.1`.",
    kSecretesKeys};
constinit const Section kTakesUpSection{
    "takes_up", "takes_up = { ... }",
    "In [types.NAME], by the substance's name: `takes_up.o2 = { rate = 0.1, at_most = 0.5 }`.", kTakesUpKeys};
constinit const Section kHoldsSection{
    "holds", "holds = { ... }",
    "In [types.NAME], by the substance's name, a concentration that never changes: `holds.o2 = 1`.",
    kHoldsKeys};

}  // namespace kiln
