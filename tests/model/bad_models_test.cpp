// What a user reads who got a model wrong: every message, word for word.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

std::string message_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse_model(text, "m.toml", KILN_SOURCE_DIR, overrides);
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no error)";
}

struct BadModel {
  const char* text;
  const char* message;
};

constexpr BadModel kBadModels[] = {
    // The top level and the lattice.
    {"",
     "m.toml: lattice.size is missing; it must be a list of 2 or 3 integers between 1 and 1e+06 (sites)."},
    {"xyzzy = 5",
     "m.toml:1: unknown key xyzzy; known here are title, seed, temperature, fidelity, mcs, lattice, units, "
     "neighbourhood, types, adhesion, fields, substances, initial, constants, rules, tick, phases, schedule, "
     "measure, "
     "pictures, output."},
    {"\"a\\u0000\\u001b[1m\" = 5\nlattice.size = [9, 9]",
     "m.toml:1: unknown key a\\u0000\\u001b[1m; known here are title, seed, temperature, fidelity, mcs, "
     "lattice, units, neighbourhood, types, adhesion, fields, substances, initial, constants, rules, tick, "
     "phases, "
     "schedule, measure, pictures, "
     "output."},
    {"[=]",
     "m.toml:1: this is not valid TOML: Error while parsing key: expected bare key starting character or "
     "string delimiter, saw '='."},
    {"é = 5",
     "m.toml:1: this is not valid TOML: Error while parsing root table: expected keys, tables, whitespace or "
     "comments, saw 'é'."},
    {"temprature = 5", "m.toml:1: unknown key temprature; did you mean temperature?"},
    {"seed = -1", "m.toml:1: seed is -1, but must lie between 0 and 9.22337e+18."},
    {"seed = \"one\"", "m.toml:1: seed is \"one\", but must be an integer between 0 and 9.22337e+18."},
    {"\nseed = 2020-01-01",
     "m.toml:2: seed is 2020-01-01, but must be an integer between 0 and 9.22337e+18."},
    {"mcs = 2.5", "m.toml:1: mcs is 2.5, but must be an integer between 0 and 1e+12 (MCS)."},
    {"title = \"a\\u0000b\"", "m.toml:1: title is \"a\\u0000b\", but must be a text in quotes."},
    {"title = 3", "m.toml:1: title is 3, but must be a text in quotes."},
    {"lattice = 5", "m.toml:1: lattice is 5, but must be a table."},
    {"[lattice]\nsize = 5",
     "m.toml:2: lattice.size is 5, but must be a list of 2 or 3 integers between 1 and 1e+06 (sites)."},
    {"[lattice]\nsize = [64]",
     "m.toml:2: lattice.size is [64], but must be a list of 2 or 3 integers between 1 and 1e+06 (sites)."},
    {"[lattice]\nsize = [0, 5]",
     "m.toml:2: lattice.size is [0, 5], but every entry must lie between 1 and 1e+06 (sites)."},
    {"[lattice]\nsizes = [64, 64]", "m.toml:2: unknown key lattice.sizes; did you mean size?"},
    {"[lattice]\nsize = [64, 2]",
     "m.toml:2: lattice.size is 2 along y, but a periodic side must be at least 3 sites "
     "long with neighbours 1 site away."},
    {"[lattice]\nsize = [64, 6]\n[neighbourhood]\nadhesion = 6",
     "m.toml:2: lattice.size is 6 along y, but a periodic side must be at least 7 sites long with neighbours "
     "3 sites "
     "away."},
    {"[lattice]\nsize = [64, 64]\nboundary = \"open\"",
     "m.toml:3: lattice.boundary is \"open\", but must be one of \"periodic\", \"closed\", or a list of 2 of "
     "them."},
    {"[lattice]\nsize = [64, 64]\nboundary = [\"closed\"]",
     "m.toml:3: lattice.boundary is [\"closed\"], but must be one of \"periodic\", \"closed\", or a list of "
     "2 of them."},
};

// These stand below "lattice.size = [64, 64]".
constexpr BadModel kBadSections[] = {
    {"temperature = nan", "m.toml:2: temperature is nan, but must lie between 0 and 1e+09 (energy)."},
    {"units.voxel_um = 0", "m.toml:2: units.voxel_um is 0, but must lie between 1e-06 and 1e+06 (µm)."},
    {"neighbourhood.adhesion = 7", "m.toml:2: neighbourhood.adhesion is 7, but must lie between 1 and 6."},
    {"neighbourhood.perimeter = \"more\"",
     "m.toml:2: neighbourhood.perimeter is \"more\", but must be one of \"moore\", "
     "\"von-neumann\" or an integer between 1 and 6."},
    // Types and their terms.
    {"types = 3", "m.toml:2: types is 3, but must be a table."},
    {"[types.\"t cell\"]",
     "m.toml:2: types.t cell is no good name; take letters, digits, - and _ (and not \"default\")."},
    {"[types.default]",
     "m.toml:2: types.default is no good name; take letters, digits, - and _ (and not \"default\")."},
    {"[types.a]\nvolume = { target = 50, lambda = -1 }",
     "m.toml:3: types.a.volume.lambda is -1, but must lie between 0 and 1e+09 (energy/sites^2)."},
    {"[types.a]\nvolume = { lambda = 1 }",
     "m.toml:3: types.a.volume.target is missing; it must be \"start\" or a number between 0 and 1e+07 "
     "(sites)."},
    {"[types.a]\nvolume = 50", "m.toml:3: types.a.volume is 50, but must be a table."},
    {"[types.a]\nvolum = { target = 1 }", "m.toml:3: unknown key types.a.volum; did you mean volume?"},
    {"[types.a]\nact = { lambda = 5, max = 2.5 }",
     "m.toml:3: types.a.act.max is 2.5, but must be an integer between 1 and 65535 (MCS)."},
    {"[types.a]\nconnectivity = { hard = 1 }",
     "m.toml:3: types.a.connectivity.hard is 1, but must be true or false."},
    {"[types.a]\ncolour = \"red\"",
     "m.toml:3: types.a.colour is \"red\", but must be a colour such as \"#e07a5f\"."},
    {"[types.medium]\nvolume = { target = 1 }",
     "m.toml:3: types.medium.volume cannot be set: the medium has a colour, and may secrete, take up or hold "
     "substances."},
    {"[types.a]\nchemotaxis = { lambda = 5, field = \"f\" }",
     "m.toml:3: types.a.chemotaxis.field is \"f\", but the model has no fields; add [fields.f]."},
    {"[types.a]\nchemotaxis = { lambda = 5, field = \"f\" }\n[fields.g]\nshape = \"radial\"",
     "m.toml:3: types.a.chemotaxis.field is \"f\", but must be one of the fields g."},
    // Adhesion.
    {"[types.a]\n[adhesion]\na.b = 3",
     "m.toml:4: adhesion.a.b names the type \"b\", but the types are medium, a."},
    {"[types.a]\n[types.b]\n[adhesion]\na.b = 3\nb.a = 4",
     "m.toml:6: adhesion.b.a is 4, but m.toml:5 has given the same pair as 3."},
    {"adhesion.medium.medium = 4",
     "m.toml:2: adhesion.medium.medium has no meaning: the medium has no interface with itself."},
    {"[types.a]\n[adhesion]\na.a = 2e6",
     "m.toml:4: adhesion.a.a is 2000000, but must lie between -1e+06 and 1e+06 (energy)."},
    {"adhesion.cell = 4", "m.toml:2: adhesion.cell is 4, but must be a table."},
    // Fields.
    {"[fields.f]\nshape = \"spiral\"",
     "m.toml:3: fields.f.shape is \"spiral\", but must be one of \"uniform\", \"radial\", \"circular\", "
     "\"file\"."},
    {"[fields.f]\nstrength = 1",
     "m.toml:2: fields.f.shape is missing; it must be one of \"uniform\", \"radial\", \"circular\", "
     "\"file\"."},
    {"[fields.f]\nshape = \"uniform\"\ndirection = [0, 0]",
     "m.toml:4: fields.f.direction is [0, 0], but must not be zero."},
    {"[fields.f]\nshape = \"uniform\"\ndirection = [1, 0, 0]",
     "m.toml:4: fields.f.direction is [1, 0, 0], but must be a list of 2 numbers between -1e+06 and 1e+06."},
    {"[fields.f]\nshape = \"radial\"\ndirection = [1, 0]",
     "m.toml:4: fields.f.direction goes with shape = \"uniform\", but fields.f.shape is \"radial\"."},
    {"[fields.f]\nshape = \"circular\"\naxis = [0, 0, 1]",
     "m.toml:4: fields.f.axis has no meaning in 2-D, where a field turns around its centre."},
    // The initial state.
    {"initial.kind = \"boxes\"",
     "m.toml:2: initial is { kind = \"boxes\" }, but must be a list of tables: [[initial]]."},
    {"[[initial]]\nkind = \"voronoi\"\ncount = 5\nvolume = 9",
     "m.toml:5: initial.0.count, initial.0.density and initial.0.volume each say how many cells there are; "
     "give one "
     "of them."},
    {"[[initial]]\nkind = \"hexagonal\"\ncount = 5",
     "m.toml:4: initial.0.count goes with kind = \"voronoi\", but initial.0.kind is \"hexagonal\"."},
    {"[[initial]]\nslivers = \"gift\"",
     "m.toml:3: initial.0.slivers is \"gift\", but must be one of \"keep\", \"give\", \"drop\"."},
    {"[[initial]]\nregion = { shape = \"union\" }",
     "m.toml:3: initial.0.region.of is missing; it must be a list of tables."},
    {"[[initial]]\nregion = { shape = \"union\", of = [] }",
     "m.toml:3: initial.0.region.of is [], but must be a list of tables."},
    {"[[initial]]\nregion = { shape = \"difference\", of = [{ shape = \"ball\" }, { shape = \"ball\", radius "
     "= -1 }] "
     "}",
     "m.toml:3: initial.0.region.of.1.radius is -1, but must lie between 0 and 1e+07 (sites)."},
    {"[[initial]]\nregion = { shape = \"ball\", of = [{ shape = \"all\" }] }",
     "m.toml:3: initial.0.region.of goes with shape = \"union\", but initial.0.region.shape is \"ball\"."},
    {"[[initial]]\nkind = \"seed\"",
     "m.toml:3: initial.0.kind is \"seed\", but must be one of \"boxes\", \"hexagonal\", "
     "\"voronoi\", \"seeds\", \"fill\", \"tube\", \"network\", \"labels\", \"image\"."},
    {"[[initial]]\nkind = \"seeds\"",
     "m.toml:2: initial.0.count and initial.0.density are not given; exactly one of them must be."},
    {"[[initial]]\nkind = \"seeds\"\ncount = 5\ndensity = 0.5",
     "m.toml:2: initial.0.count and initial.0.density are both given; exactly one of them must be."},
    {"[[initial]]\nkind = \"seeds\"\nbox = 5",
     "m.toml:4: initial.0.box goes with kind = \"boxes\", but initial.0.kind is \"seeds\"."},
    {"[types.a]\n[[initial]]\nkind = \"seeds\"\ndensity = 0.5",
     "m.toml:5: initial.0.density needs a target volume, but types.a has none; give a count instead."},
    {"[[initial]]\n[[initial]]\nkind = \"tube\"\nfrom = [1, 1]",
     "m.toml:3: initial.1.to is missing; it must be a list of 2 numbers between -1e+07 and 1e+07 (sites)."},
    {"[[initial]]\nbox = [5, 5]\nspacing = [5, 4]",
     "m.toml:4: initial.0.spacing is [5, 4], but must be at least the box, [5, 5]."},
    {"[types.a]\n[types.b]\n[[initial]]\nkind = \"fill\"",
     "m.toml:4: initial.0.type is missing; it must be one of a, b."},
    {"[[initial]]\ntype = \"b\"",
     "m.toml:3: initial.0.type names the type \"b\", but the types are medium, cell."},
    {"[[initial]]\ntype = \"medium\"",
     "m.toml:3: initial.0.type is \"medium\", but the medium is no type of cell."},
    {"[[initial]]\ntypes = { cell = 0 }",
     "m.toml:3: initial.0.types is { cell = 0 }, but one weight at least must not be 0."},
    {"[[initial]]\ntype = \"cell\"\ntypes = { cell = 1 }",
     "m.toml:4: initial.0.type and initial.0.types are both given; take one of them."},
    {"[[initial]]\nregion = { shape = \"ball\", low = [0, 0] }",
     "m.toml:3: initial.0.region.low goes with shape = \"box\", but initial.0.region.shape is \"ball\"."},
    {"[[initial]]\nregion = { shape = \"box\", low = [9, 9], high = [9, 20] }",
     "m.toml:3: initial.0.region.high is [9, 20], but must be beyond low, [9, 9], along every axis."},
    {"[[initial]]\nkind = \"labels\"\nfile = \"none.npy\"",
     "m.toml:4: initial.0.file is \"none.npy\", but there is no file " KILN_SOURCE_DIR "/none.npy."},
    {"[[initial]]\nkind = \"labels\"\nfile = \"CMakeLists.txt\"\nlabel_types = { one = \"cell\" }",
     "m.toml:5: initial.0.label_types.one cannot be: a label must be a positive integer in quotes."},
    // Phases.
    {"mcs = 5\n[[phases]]\nmcs = 5",
     "m.toml:2: mcs cannot be given together with [[phases]]: every phase has an mcs of its own."},
    {"[[phases]]\nname = \"a\"",
     "m.toml:2: phases.0.mcs is missing; it must be an integer between 0 and 1e+12 (MCS)."},
    {"[[phases]]\nmcs = 5\nset = { seed = 2 }",
     "m.toml:4: phases.0.set has seed, but a phase can set only temperature, adhesion.A.B and "
     "types.NAME.TERM.PARAMETER."},
    {"[[phases]]\nmcs = 5\nset = { temperature = -2 }",
     "m.toml:4: temperature is -2, but must lie between 0 and 1e+09 (energy)."},
    {"[[phases]]\nmcs = 5\nset = { types.cell.akt.lambda = 2 }",
     "m.toml:4: unknown key types.cell.akt; did you mean act?"},
    {"[[phases]]\nmcs = 5\nset = { \"types.cell.volume.lamda\" = 2 }",
     "m.toml:4: unknown key types.cell.volume.lamda; did you mean lambda?"},
    {"[[phases]]\nmcs = 5\nset = { types.cell.act.lambda = 2 }",
     "m.toml:4: phases.0.set has types.cell.act.lambda, but types.cell has no act; give it there, with a "
     "strength of "
     "0 if it is to act in this phase only."},
    {"[[phases]]\nmcs = 5\nset = { \"types.b.volume.lambda\" = 2 }",
     "m.toml:4: there is no type b; the model has cell."},
    {"[types.a]\npersistence = { lambda = 1 }\n[[phases]]\nmcs = 5\nset = { types.a.persistence.dt = 2 }",
     "m.toml:6: phases.0.set has types.a.persistence.dt, but dt cannot change between phases: the state "
     "depends on "
     "it."},
    {"[types.a]\nact = { lambda = 1, max = 5 }\n[[phases]]\nmcs = 5\nset = { types.a.act.max = 6 }",
     "m.toml:6: phases.0.set has types.a.act.max, but max cannot change between phases: the state depends on "
     "it."},
    // Pictures.
    {"[[pictures]]\nview = \"solid\"",
     "m.toml:3: pictures.0.view is \"solid\", but the lattice is 2-D; take \"slice\"."},
    {"[[pictures]]\ncolour = \"act\"",
     "m.toml:3: pictures.0.colour is \"act\", but no cell type has an act term."},
    {"[[pictures]]\naxis = \"x\"", "m.toml:3: pictures.0.axis is \"x\", but must be \"z\" in 2-D."},
    {"[[pictures]]\nposition = 1",
     "m.toml:3: pictures.0.position is 1, but must lie between 0 and 0 (sites)."},
    {"[[pictures]]\nname = \"../x\"",
     "m.toml:3: pictures.0.name is \"../x\", but must be a name of letters, digits, - and _."},
    {"[[pictures]]\nwidth = 20000",
     "m.toml:3: pictures.0.width is 20000, but must lie between 0 and 16384 (pixels)."},
    {"[[pictures]]\nframe = \"cells\"",
     "m.toml:3: pictures.0.frame is \"cells\", but must be one of \"lattice\", \"tissue\"."},
    {"[[pictures]]\n[[pictures]]",
     "m.toml:3: pictures.1.name is \"slice-type\", but an earlier picture has that name; give it another."},
    {"output.lattice_evry = 1", "m.toml:2: unknown key output.lattice_evry; did you mean lattice_every?"},
    // The schedule.
    {"[schedule]\ncheckerboard = 3", "m.toml:3: schedule.checkerboard is 3, but must be a table."},
    {"[schedule]\ntiles = {}", "m.toml:3: unknown key schedule.tiles; known here are checkerboard."},
    {"[schedule.checkerboard]\nregion = 0",
     "m.toml:3: schedule.checkerboard.region is 0, but must lie between 1 and 64 (sites)."},
    {"[schedule.checkerboard]\nregions = 2",
     "m.toml:3: unknown key schedule.checkerboard.regions; did you mean region?"},
    {"[schedule.checkerboard]\nconflict = \"lock\"",
     "m.toml:3: schedule.checkerboard.conflict is \"lock\", but must be one of \"atomic\", \"mutex\"."},
    {"[schedule.checkerboard]\nregion = 2\nper_thread = 4\nswitch_every = 5",
     "m.toml:5: schedule.checkerboard.switch_every is 5, but must be at most 4, the sites of a region: every "
     "region "
     "is to be active in every MCS."},
    {"[schedule.checkerboard]\ndraws = \"both\"",
     "m.toml:3: schedule.checkerboard.draws is \"both\", but must be one of \"target\", \"source\"."},
    {"[schedule.checkerboard]\nregion = 3",
     "m.toml:2: schedule.checkerboard.per_thread is 8, but must be a multiple of region (3)."},
    {"[schedule.checkerboard]\nregion = 8",
     "m.toml:2: schedule.checkerboard.per_thread is 8, but must be at least 10: active regions of 8 sites "
     "stay "
     "2 "
     "sites apart."},
    {"neighbourhood.adhesion = 6\n[schedule.checkerboard]\nregion = 2\nper_thread = 4",
     "m.toml:5: schedule.checkerboard.per_thread is 4, but must be at least 5: active regions of 2 sites "
     "stay "
     "3 sites apart."},
};

// Substances, and what cells do with them.
constexpr BadModel kBadSubstances[] = {
    {"[substances.s]\ndecay = 1",
     "m.toml:2: substances.s.diffusion is missing; it must be a number between 0 and 1e+09 (µm²/s)."},
    {"[substances.s]\ndiffusion = -1",
     "m.toml:3: substances.s.diffusion is -1, but must lie between 0 and 1e+09 (µm²/s)."},
    {"[substances.s]\ndiffusion = 1\ncoarsen = 2",
     "m.toml:4: substances.s.coarsen is 2, but the lattice's sides (9 x 9) must be multiples of it."},
    {"[substances.s]\ndiffusion = 1\ncoarsen = \"fine\"",
     "m.toml:4: substances.s.coarsen is \"fine\", but must be one of \"auto\" or an integer between 1 and 64 "
     "(sites)."},
    {"[substances.s]\ndiffusion = 1\nstart = \"x + q\"",
     "m.toml:4: substances.s.start is \"x + q\", but \"q\" (character 5) is not known; did you mean x?"},
    {"[substances.s]\ndiffusion = 1\nstart = \"x - 3\"",
     "m.toml:4: substances.s.start is \"x - 3\", which is -3 somewhere, but a concentration must be finite, "
     "and 0 or more."},
    {"[substances.s]\ndiffusion = 1\nmode = \"steady\"",
     "m.toml:4: substances.s.mode is \"steady\", but there may be no steady state: it needs decay, or a side "
     "with a concentration and nothing impermeable."},
    {"[substances.s]\ndiffusion = 1e7\ncoarsen = 1\nstart = \"x\"\n[units]\nvoxel_um = "
     "0.001\nseconds_per_mcs = "
     "1e9",
     "m.toml:3: substances.s would take 694,539,786,616 steps per MCS, but 1,000,000 are the most: it "
     "changes "
     "by 8e+13 per second, in voxels of 0.001 µm, and an MCS has 1e+09 s; a larger coarsen, mode = "
     "\"steady\" or a shorter MCS helps."},
    {"[substances.s]\ndiffusion = 1e9\ndecay = 1e-30\nmode = \"steady\"\nupdate_every = 5",
     "m.toml:3: substances.s would take inf steps per update, but 1,000,000 are the most: it changes by "
     "8e+09 "
     "per second, in voxels of 1 µm, and its steady state is reached slowly; a larger coarsen or more decay "
     "helps."},
    {"[substances.s]\ndiffusion = 1\nboundary = { x = \"open\" }",
     "m.toml:4: substances.s.boundary.x is \"open\", but must be \"closed\", \"periodic\", a number between "
     "-1e+15 and 1e+15, or { flux = a number }."},
    {"[substances.s]\ndiffusion = 1\nboundary = { x = \"periodic\", x_low = 1 }",
     "m.toml:4: substances.s.boundary.x_low cannot be: along x it is periodic."},
    {"[substances.s]\ndiffusion = 1\nboundary = { z = 1 }",
     "m.toml:4: substances.s.boundary.z has no meaning in 2-D."},
    {"[substances.s]\ndiffusion = 1\nboundary = { x_low = { flow = 1 } }",
     "m.toml:4: substances.s.boundary.x_low is { flow = 1 }, but must be \"closed\", a number between -1e+15 "
     "and 1e+15, or { flux = a number }."},
    {"[substances.s]\ndiffusion = 1\nboundary = { w = 1 }",
     "m.toml:4: unknown key substances.s.boundary.w; did you mean x?"},
    {"[substances.s]\ndiffusion = 1\nimpermeable = \"a\"\n[types.a]",
     "m.toml:4: substances.s.impermeable has a, but only cells of frozen types, which stay where they are, "
     "can be closed to a substance."},
    {"[substances.s]\ndiffusion = 1\nimpermeable = \"a\"\n[types.a]\nfrozen = true\nsecretes.s = 1",
     "m.toml:7: types.a.secretes.s cannot be: s cannot enter cells of this type."},
    {"[substances.s]\ndiffusion = 1\nimpermeable = \"a\"\n[types.a]\nfrozen = "
     "true\n[types.b]\n[[rules]]\ntypes = \"b\"\ndo = \"become\"\ntype = \"a\"",
     "m.toml:4: substances.s.impermeable has a, but rules make such cells, and what is there already would "
     "be lost."},
    {"[types.a]\nsecretes.s = 1",
     "m.toml:3: types.a.secretes.s is \"s\", but the model has no substances; add [substances.s]."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nsecretes.t = 1",
     "m.toml:5: types.a.secretes.t is \"t\", but must be one of the substances s."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nsecretes.s = -1",
     "m.toml:5: types.a.secretes.s.rate is -1, but must be finite, and 0 or more."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nsecretes.s = \"glow\"",
     "m.toml:5: types.a.secretes.s.rate is \"glow\", but \"glow\" (character 1) is not known; there are "
     "volume, perimeter, target, age, generation, x, y, z, time, dt."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nfrozen = true\nsecretes.s = { rate = 1, per = \"cell\" }",
     "m.toml:6: types.a.secretes.s.per is \"cell\", but cells of a frozen type are not counted; give a rate "
     "per site."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\ntakes_up.s = { speed = 1 }",
     "m.toml:5: unknown key types.a.takes_up.s.speed; known here are rate, at_most."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nholds.s = -2",
     "m.toml:5: types.a.holds.s.value is -2, but must lie between 0 and 1e+15 (concentration)."},
    {"[types.a]\nchemotaxis = { lambda = 1 }",
     "m.toml:3: types.a.chemotaxis names neither a field nor a substance; it must name one of them."},
    {"[types.a]\nchemotaxis = { lambda = 1, substance = \"s\" }",
     "m.toml:3: types.a.chemotaxis.substance is \"s\", but the model has no substances; add [substances.s]."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nchemotaxis = { lambda = 1, substance = \"t\" }",
     "m.toml:5: types.a.chemotaxis.substance is \"t\", but must be one of the substances s."},
    {"[substances.s]\ndiffusion = 1\n[fields.f]\nshape = \"radial\"\n[types.a]\nchemotaxis = { lambda = 1, "
     "substance = \"s\", field = \"f\" }",
     "m.toml:7: types.a.chemotaxis names both a field and a substance, but must name one of them."},
    {"[fields.f]\nshape = \"radial\"\n[types.a]\nchemotaxis = { lambda = 1, field = \"f\", at = \"medium\" }",
     "m.toml:5: types.a.chemotaxis.at goes with a substance, but this is chemotaxis in a field."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nchemotaxis = { lambda = 1, substance = \"s\", response = "
     "\"log\" }",
     "m.toml:5: types.a.chemotaxis.response is \"log\", but must be one of \"linear\", \"saturated\", "
     "\"saturated-linear\", \"logarithmic\"."},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nproperties.p = 1\n[[rules]]\ntypes = \"a\"\nset = { p = "
     "\"mean(t)\" }",
     "m.toml:8: rules.0.set.p is \"mean(t)\", but mean takes the name of a substance, and \"t\" (character "
     "6) is not known; did you mean s?"},
    {"[substances.s]\ndiffusion = 1\n[types.a]\nproperties.p = 1\n[[rules]]\ntypes = \"a\"\nset = { p = "
     "\"gradient_z(s)\" }",
     "m.toml:8: rules.0.set.p is \"gradient_z(s)\", but s (character 12) is a unit: write s(1)."},
};

// What cells do by themselves.
constexpr BadModel kBadLiving[] = {
    {"[[pictures]]\ncolour = \"dye\"",
     "m.toml:3: pictures.0.colour is \"dye\", but must be \"type\", \"cell\", \"act\" or the name of a "
     "property or a substance."},
    {"[[pictures]]\nrange = [0, 1]",
     "m.toml:3: pictures.0.range goes with the colour of a property or a substance, but pictures.0.colour is "
     "\"type\"."},
    {"[types.a]\nproperties.c = 1\n[[pictures]]\ncolour = \"c\"\nrange = [1, 0]",
     "m.toml:6: pictures.0.range is [1, 0], but must be two numbers, the smaller one first."},
    {"[types.a]\ngrowth = {}",
     "m.toml:3: types.a.growth cannot be: types.a has no volume = { target = ..., lambda = ... }."},
    {"[types.a]\ngrowth = { rate = \"3 *\" }\nvolume = { target = 5 }",
     "m.toml:3: types.a.growth.rate is \"3 *\", but there is nothing behind \"*\" at its end."},
    {"[types.a]\ngrowth = { rate = \"3 * volme\" }\nvolume = { target = 5 }",
     "m.toml:3: types.a.growth.rate is \"3 * volme\", but \"volme\" (character 5) is not known; did you mean "
     "volume?"},
    {"[types.a]\ngrowth = { rate = 3 }",
     "m.toml:3: types.a.growth cannot be: types.a has no volume = { target = ..., lambda = ... }."},
    {"[types.a]\nfrozen = true\ngrowth = { rate = 3 }",
     "m.toml:4: types.a.growth cannot be: cells of a frozen type never change."},
    {"[types.a]\nproperties.volume = 3",
     "m.toml:3: types.a.properties.volume is no good name: formulas know volume as something else."},
    {"[types.a]\nproperties.a-b = 3",
     "m.toml:3: types.a.properties.a-b is no good name; take letters, digits and _, a letter first."},
    {"[types.a]\nproperties.c = { start = true }",
     "m.toml:3: types.a.properties.c.start is true, but must be a number, or a formula in quotes."},
    {"[types.a]\nproperties.c = { begin = 1 }",
     "m.toml:3: unknown key types.a.properties.c.begin; known here are start, extensive, unit."},
    {"[types.a]\nproperties.c = { start = \"d + 1\" }",
     "m.toml:3: types.a.properties.c.start is \"d + 1\", but \"d\" (character 1) is not known; did you mean "
     "x?"},
    {"[types.a]\nequations.c = \"1\"",
     "m.toml:3: types.a.equations.c is the equation of c, but types.a has no such property; add it to "
     "types.a.properties."},
    {"[types.a]\nproperties.c = 1\nequations.c = \"uniform(0, 1)\"",
     "m.toml:4: types.a.equations.c is \"uniform(0, 1)\", but uniform (character 1) draws a random number, "
     "which is of no use here."},
    {"[types.a]\nproperties.c = 1\nequations = { c = \"1\", steps = 0 }",
     "m.toml:4: types.a.equations.steps is 0, but must lie between 1 and 1e+06."},
    {"[types.a]\nproperties.c = { start = 1, extensive = true }\n[types.b]\nproperties.c = 2",
     "m.toml:5: types.b.properties.c.extensive is false, but another type has this property, too, where it "
     "is true."},
    {"[[rules]]\nset = {}",
     "m.toml:2: rules.0.types is missing; it must be the name of a cell type, or a list of them."},
    {"[[rules]]\ntypes = \"cell\"", "m.toml:2: rules.0 does nothing: it has neither `do` nor `set`."},
    {"[[rules]]\ntypes = \"cel\"\ndo = \"divide\"",
     "m.toml:3: rules.0.types names the type \"cel\", but the types are medium, cell."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"split\"",
     "m.toml:4: rules.0.do is \"split\", but must be one of \"set\", \"divide\", \"die\", \"become\"."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\nhow = \"remove\"",
     "m.toml:5: rules.0.how goes with do = \"die\", but rules.0.do is \"divide\"."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\nwhen = \"volume\"",
     "m.toml:5: rules.0.when is \"volume\", but it is a number, and a condition is wanted; compare it with "
     "another."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\nplane = \"up\"",
     "m.toml:5: rules.0.plane is \"up\", but must be \"across\", \"along\", \"random\" or a list of 2 "
     "numbers between -1e+06 and 1e+06."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\nplane = [0, 0]",
     "m.toml:5: rules.0.plane is [0, 0], but a normal has a length."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\ndaughters = { 3 = {} }",
     "m.toml:5: rules.0.daughters is { 3 = {} }, but must be a table with tables called 1 and 2."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\ndaughters = { 2 = { type = \"none\" } }",
     "m.toml:5: rules.0.daughters.2.type names the type \"none\", but the types are medium, cell."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"divide\"\nrate = \"volume > 3\"",
     "m.toml:5: rules.0.rate is \"volume > 3\", but it is a condition, and a number is wanted."},
    {"[[rules]]\ntypes = \"cell\"\nset = { clock = 3 }",
     "m.toml:4: rules.0.set.clock cannot be: clock is neither a property of the cells, nor one of "
     "volume.target, perimeter.target, chemotaxis.lambda, persistence.lambda, act.lambda."},
    {"[[rules]]\ntypes = \"cell\"\nset = { act.lambda = 3 }",
     "m.toml:4: rules.0.set.act.lambda cannot be: types.cell has no act = { lambda = ... }, which says what "
     "its "
     "cells begin with."},
    {"[types.cell.properties]\nparent = 1",
     "m.toml:3: types.cell.properties.parent is no good name: tables of cells have another column parent."},
    {"[[rules]]\ntypes = \"cell\"\nset = { act.max = 3 }",
     "m.toml:4: rules.0.set.act.max cannot be: act.max is neither a property of the cells, nor one of "
     "volume.target, perimeter.target, chemotaxis.lambda, persistence.lambda, act.lambda."},
    {"[types.cell.act]\nlambda = 5\nmax = 3\n[[rules]]\ntypes = \"cell\"\nset = { act.lambda = 3 }\n"
     "[[phases]]\nname = \"a\"\nmcs = 5\nset = { types.cell.act.lambda = 4 }",
     "m.toml:11: phases.0.set has types.cell.act.lambda, but rules set it for every cell of this type."},
    {"[[rules]]\ntypes = \"cell\"\nset = { \"perimeter.target\" = 3 }",
     "m.toml:4: rules.0.set.perimeter.target cannot be: cells of types.cell have one target perimeter; with "
     "perimeter.target = \"start\" each has its own."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"die\"\nover = \"volume\"",
     "m.toml:5: rules.0.over is \"volume\", but \"volume\" (character 1) is not known; there are none here."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"die\"\nover = 0",
     "m.toml:5: rules.0.over is 0, but a time must be more than 0."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"die\"\nhow = \"become\"",
     "m.toml:2: rules.0.type goes with how = \"become\", but is not given."},
    {"[[rules]]\ntypes = \"cell\"\ndo = \"become\"\ntype = \"medium\"",
     "m.toml:5: rules.0.type is \"medium\", but the medium is no type of cell."},
    {"[types.a]\nfrozen = true\n[[rules]]\ntypes = \"a\"\ndo = \"die\"",
     "m.toml:5: rules.0.types has a, but cells of a frozen type follow no rules."},
    {"[constants]\nk = \"3\"",
     "m.toml:3: constants.k is \"3\", but must be a number between -1e+300 and 1e+300."},
    {"[constants]\nexp = 3", "m.toml:3: constants.exp is no good name: formulas know exp as something else."},
    {"[tick]\nevery = 0", "m.toml:3: tick.every is 0, but must lie between 1 and 1e+12 (MCS)."},
    {"[types.a]\nvolume = { target = 5, lambda = 1 }\ngrowth = { rate = 1 }\n[[phases]]\nmcs = 3\nset = { "
     "types.a.volume.target = 6 }",
     "m.toml:7: phases.0.set has types.a.volume.target, but cells of this type have target volumes of their "
     "own, which growth and rules change."},
};

struct BadOverride {
  const char* text;
  const char* change;
  const char* message;
};

constexpr BadOverride kBadOverrides[] = {
    {"", "temperature", "--set temperature: write it as key=value, such as --set temperature=10."},
    {"", "a..b=1", "--set a..b=1: write it as key=value, such as --set temperature=10."},
    {"", "temperature=hot",
     "--set temperature=hot: temperature is \"hot\", but must be a number between 0 and 1e+09 (energy)."},
    {"", "types.cell.volume.lambda=-1",
     "--set types.cell.volume.lambda=-1: types.cell.volume.lambda is -1, but must lie "
     "between 0 and 1e+09 (energy/sites^2)."},
    {"", "lattice.size=[64,64",
     "--set lattice.size=[64,64: lattice.size is \"[64,64\", but must be a list of 2 or 3 "
     "integers between 1 and 1e+06 (sites)."},
    {"", "lattice.sise=[64,64]", "--set lattice.sise=[64,64]: unknown key lattice.sise; did you mean size?"},
    {"", "types.tcell.volume.target=5",
     "--set types.tcell.volume.target=5: there is no type tcell; the model has cell."},
    {"", "fields.f.strength=5", "--set fields.f.strength=5: there is no field f; the model has none."},
    {"", "initial.0.count=5",
     "--set initial.0.count=5: initial.0 does not exist: the file has no [[initial]]."},
    {"[[initial]]", "initial.1.count=5",
     "--set initial.1.count=5: initial.1 does not exist: initial has 1 entry, counted from 0."},
    {"seed = 3", "seed.x=5", "--set seed.x=5: seed.x does not exist: seed is 3."},
};

TEST(BadModels, AreExplainedWordForWord) {
  for (const BadModel& bad : kBadModels) EXPECT_EQ(message_of(bad.text), bad.message) << bad.text;
}

TEST(BadModels, SectionsAreExplainedWordForWord) {
  for (const BadModel& bad : kBadSections)
    EXPECT_EQ(message_of(std::string("lattice.size = [64, 64]\n") + bad.text), bad.message) << bad.text;
}

TEST(BadModels, LivingIsExplainedWordForWord) {
  for (const BadModel& bad : kBadLiving)
    EXPECT_EQ(message_of(std::string("lattice.size = [9, 9]\n") + bad.text), bad.message) << bad.text;
}

TEST(BadModels, SubstancesAreExplainedWordForWord) {
  for (const BadModel& bad : kBadSubstances)
    EXPECT_EQ(message_of(std::string("lattice.size = [9, 9]\n") + bad.text), bad.message) << bad.text;
}

TEST(BadModels, OverridesAreExplainedWordForWord) {
  for (const BadOverride& bad : kBadOverrides)
    EXPECT_EQ(message_of(std::string("lattice.size = [64, 64]\n") + bad.text, {bad.change}), bad.message);
}

TEST(BadModels, SyntaxErrorsNameTheLine) {
  const std::string message = message_of("seed = 1\ntitle = \"open\n");
  EXPECT_TRUE(message.starts_with("m.toml:2: this is not valid TOML: ")) << message;
  EXPECT_TRUE(message.ends_with(".")) << message;
}

TEST(BadModels, FilesThatCannotBeRead) {
  try {
    read_model("no/such/model.toml");
    ADD_FAILURE() << "read a file that does not exist";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "no/such/model.toml: the model file cannot be read: No such file or directory.");
  }
  try {
    read_model(KILN_SOURCE_DIR);
    ADD_FAILURE() << "read a folder";
  } catch (const UserError& error) {
    EXPECT_EQ(std::string(error.what()),
              std::string(KILN_SOURCE_DIR) + ": this is a folder, but must be a model file.");
  }
}

}  // namespace
}  // namespace kiln
