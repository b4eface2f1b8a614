#include "output/table/columns.hpp"

#include <cstring>
#include <stdexcept>

#include "data/hdf5/file.hpp"
#include "output/table/tables.hpp"

namespace kiln {
namespace {

constexpr ColumnInfo kCells[] = {
    {"id", "", "number of the cell, from 1; the same in the lattice, and over all times"},
    {"t", "s", "time since MCS 0: `mcs` x `units.seconds_per_mcs`"},
    {"x", "µm",
     "centroid, unwrapped: a cell that leaves at one end of a periodic axis goes on beyond the lattice's "
     "size "
     "and does not jump. The centre of site i is at i x `units.voxel_um`"},
    {"y", "µm", "likewise"},
    {"z", "µm", "likewise; 0 in 2-D"},
    {"mcs", "MCS", "Monte Carlo steps since the beginning"},
    {"type", "", "its type; in cells.h5 a number, which counts in `@type_names`"},
    {"volume", "sites", "number of its sites (an area in 2-D); x `voxel_um`^2 or ^3 in µm² or µm³"},
    {"perimeter", "pairs of sites",
     "pairs of a site of the cell and a neighbouring site that is not the cell's, in the neighbourhood "
     "`neighbourhood.perimeter` (Moore unless set): about 3 times its outline in 2-D, 9 times its surface in "
     "3-D"},
    {"neighbours", "cells",
     "different cells, frozen ones too, of which a site is a Moore neighbour of one of its own; the medium "
     "does not count"},
};

// What follows for cells that live.
constexpr ColumnInfo kLives[] = {
    {"parent", "",
     "where cells have properties, growth or rules: id of the mother; empty for cells of the first state"},
    {"generation", "", "likewise: divisions since the first state"},
    {"age", "s", "likewise: since it came to be"},
    {"target", "sites", "likewise: the volume that it aims at"},
    {"NAME", "", "likewise, for each property: its value"},
};

constexpr ColumnInfo kLags[] = {
    {"lag_s", "s", "time between two samples of a cell"},
    {"msd_um2", "µm²", "mean squared displacement over cells and all starting times"},
    {"direction_autocorrelation", "",
     "mean cosine of the angle between two steps of a cell that begin the lag apart; a step is one "
     "sampling interval long (`measure.every`)"},
    {"pairs", "", "how many (cell, starting time) the mean squared displacement is over"},
};

constexpr ColumnInfo kSpeeds[] = {
    {"phase", "", "its name"},
    {"low_um_per_min", "µm/min", "the bin's lower end, which belongs to it"},
    {"high_um_per_min", "µm/min", "its upper end, which does not; empty for the last bin, which is open"},
    {"count", "", "how many speeds of a cell over an interval lie in it"},
    {"interval_s", "s", "only where speeds are taken over several intervals: as in motility.csv"},
};

constexpr ColumnInfo kMotility[] = {
    {"phase", "", "its name"},
    {"interval_s", "s", "length of an interval: `measure.speed_interval_s`, rounded to whole MCS"},
    {"intervals", "", "number of speeds: cells x intervals"},
    {"speed_mean_um_per_min", "µm/min",
     "a speed is the distance between a cell's centroids at the two ends of an interval over its length"},
    {"speed_sd_um_per_min", "µm/min", "standard deviation (n - 1)"},
    {"speed_skewness", "", "third central moment over the second to the power of 1.5"},
    {"arrest_coefficient", "", "share of the speeds below `measure.arrest_below_um_per_min`"},
    {"arrest_low", "", "lower end of its Wilson interval at 95%"},
    {"arrest_high", "", "upper end of it"},
    {"arrest_by_cell", "", "mean over cells of each cell's own arrest coefficient"},
    {"divergence_bits", "bits",
     "Kullback-Leibler divergence of the speeds from `measure.reference_speeds`; empty without"},
};

constexpr ColumnInfo kLineage[] = {
    {"id", "", "of the cell; never used again"},
    {"parent", "", "id of its mother; empty for cells of the first state"},
    {"root", "", "id of the cell of the first state that it descends from"},
    {"generation", "", "divisions since then"},
    {"type", "", "name of its type, the last one"},
    {"born_mcs", "MCS", "when it came to be"},
    {"ended_mcs", "MCS", "when it ended; empty where it lives"},
    {"end", "", "`divided`, `died` (by a rule), `vanished` (copies took its last site) or `alive`"},
    {"volume", "sites", "that it has now"},
    {"target", "sites", "volume that it aims at, or did last"},
    {"NAME", "", "for each property of the model: its value, or the last one"},
};

constexpr ColumnInfo kCorrelation[] = {
    {"mcs", "MCS", "Monte Carlo steps at the end of the interval"},
    {"low_um", "µm", "smallest distance of two cells' centroids in this bin"},
    {"high_um", "µm", "where the next bin begins"},
    {"pairs", "", "pairs of cells in it"},
    {"correlation", "",
     "mean cosine of the angle between the displacements of the two cells over the interval: 1 where they go "
     "the same way"},
    {"interval_s", "s", "length of the interval of speeds"},
    {"cells_within", "",
     "mean number of cells that are closer than `high_um` to a cell and have moved, the cell itself among "
     "them"},
    {"order_index", "",
     "mean over cells of the length of the mean direction of these: 1 where all go the same way"},
    {"order_null", "",
     "the same for as many cells with independent directions: about 0.92 / sqrt(cells) in 3-D"},
};

constexpr ColumnInfo kSweep[] = {
    {"KEY", "as in the model", "a column per varied key: its value in this run"},
    {"replica", "", "number of the run among those with the same values, from 1"},
    {"seed", "", "of the run"},
    {"hash", "", "of the last state; `kiln run` with these values and this seed gives the same"},
};
constexpr std::size_t kRunNames = 3;  // of these, in both tables of a sweep

constexpr ColumnInfo kTrackFile[] = {
    {"samples/mcs", "MCS", "when each sample was taken"},
    {"samples/first_row", "", "its first row in the columns"},
    {"samples/rows", "", "number of its rows"},
    {"@voxel_um", "µm", "edge of a site"},
    {"@seconds_per_mcs", "s", "length of a Monte Carlo step"},
    {"@type_names", "", "names of the types, the medium first"},
    {"@lives", "", "where cells live: names of the columns behind `neighbours`"},
    {"@one_cell_in", "", "the table holds the ids 1, 1 + n, 1 + 2 n, ..."},
    {"@kiln_version", "", "that wrote the file"},
};

constexpr ColumnInfo kLatticeFile[] = {
    {"mcs_N/ids", "", "by site: the cell, 0 is the medium"},
    {"mcs_N/type", "", "by site: its type, which counts in `@type_names`"},
    {"mcs_N/act", "MCS", "by site: what is left of its activity, where a type has `act`"},
    {"mcs_N/cells/type", "", "by id: the cell's type"},
    {"mcs_N/cells/volume", "sites", "by id; 0 for the medium and for cells that are frozen or died out"},
    {"mcs_N/cells/perimeter", "pairs of sites", "by id, as in cells.csv"},
    {"mcs_N/cells/x", "µm",
     "by id: centroid, unwrapped, as in cells.csv; NaN for the medium and for cells that are frozen or died "
     "out"},
    {"mcs_N/cells/y", "µm", "likewise"},
    {"mcs_N/cells/z", "µm", "likewise; 0 in 2-D"},
    {"mcs_N/cells/parent", "",
     "by id, where cells have properties, growth or rules: its mother; 0 where it has none"},
    {"mcs_N/cells/generation", "", "likewise: divisions since the first state"},
    {"mcs_N/cells/properties/NAME", "",
     "likewise, for each property of the model: its value; 0 where its type does not have it"},
    {"mcs_N/substances/NAME", "",
     "by voxel (z, y, x), for each substance: its concentration, in the unit that the model says"},
    {"mcs_N/substances/NAME@coarsen", "sites", "along the edge of a voxel"},
    {"mcs_N/substances/NAME@periodic", "", "per axis: 1 where the substance goes round, 0 where it does not"},
    {"mcs_N@mcs", "MCS", "Monte Carlo steps since the beginning"},
    {"@size", "sites", "of the lattice: x, y, z; z is 1 in 2-D"},
    {"@periodic", "", "per axis: 1 where it is periodic, 0 where its ends are closed"},
    {"@dimension", "", "2 or 3"},
    {"@voxel_um", "µm", "edge of a site; the centre of site i is at i x voxel_um"},
    {"@seconds_per_mcs", "s", "length of a Monte Carlo step"},
    {"@type_names", "", "names of the types, the medium first"},
    {"@kiln_version", "", "that wrote the file"},
};

constexpr ColumnInfo kCheckpointFile[] = {
    {"ids", "", "by site (z, y, x): the cell, 0 is the medium"},
    {"act", "MCS", "by site: what is left of its activity, where a type has `act`"},
    {"cells/type", "", "by id: the cell's type, which counts in `@type_names`"},
    {"cells/volume", "sites", "by id"},
    {"cells/perimeter", "pairs of sites", "by id, as in cells.csv"},
    {"cells/anchor", "sites", "by id: a site near the cell"},
    {"cells/sum", "sites",
     "by id: sum over its sites of their wrapped difference to the anchor; the centroid is anchor + sum / "
     "volume"},
    {"moments", "sites²",
     "by id, where a term reads them: sums over its sites of the products of their differences to the "
     "anchor, xx, yy, xy, zz, xz, yz"},
    {"target_volume", "sites", "by id, where cells have targets of their own"},
    {"target_perimeter", "pairs of sites", "likewise"},
    {"lambda_chemotaxis", "energy",
     "by id, where rules set lambdas: the cell's own; what it began with where no rule has set it"},
    {"lambda_persistence", "energy", "likewise"},
    {"lambda_act", "energy", "likewise"},
    {"direction", "", "by id: unit vector that persistence steers along"},
    {"history", "sites", "earlier centroids that persistence looks back to"},
    {"property", "", "by id: its properties, in the order of the model"},
    {"parent", "", "by id: its mother; 0: none"},
    {"born", "MCS", "by id: when it came to be"},
    {"ended", "MCS", "by id: when it ended; -1: it lives"},
    {"exact_target", "sites", "by id: the target volume before rounding"},
    {"generation", "", "by id: divisions since the first state"},
    {"end", "", "by id: 0 alive, 1 divided, 2 died, 3 vanished"},
    {"shrinks", "sites", "by id: by which the target of a dying cell falls in an MCS"},
    {"gone_at", "sites", "by id: with so many a dying cell is removed"},
    {"substances/N", "",
     "by voxel (z, y, x): concentration of the substance that is called `substances/N@name`"},
    {"substances/N@name", "", "of this substance"},
    {"substances/N@coarsen", "sites", "along the edge of a voxel"},
    {"substances/N@periodic", "", "per axis: 1 where the substance goes round, 0 where it does not"},
    {"substances/N@first_total", "",
     "concentration, summed over voxels, of the first state: the books begin with it"},
    {"substances/N@total", "", "the same of this state"},
    {"substances/N@secreted", "", "the same, of all that was secreted since the first state"},
    {"substances/N@taken_up", "", "likewise: taken up by cells and the medium"},
    {"substances/N@decayed", "", "likewise: decayed"},
    {"substances/N@crossed_walls", "", "likewise: came in through the sides of the lattice, less what left"},
    {"substances/N@held", "", "likewise: was added, or taken where it is negative, to hold a concentration"},
    {"extra/N", "", "what measures remember; its name is in `extra/N@name`"},
    {"extra/N@name", "", "of this array"},
    {"from@file", "", "the checkpoint that the run began with (--from)"},
    {"from@hash", "", "of that state"},
    {"from@mcs", "MCS", "of that state"},
    {"@mcs", "MCS", "Monte Carlo steps since the beginning"},
    {"@hash", "", "of the state: two states with the same hash are the same"},
    {"@model", "", "the model with every default written out, as TOML"},
    {"@seed", "", "as text"},
    {"@schedule", "", "that the run keeps"},
    {"@phase", "", "number of the phase that the next MCS belongs to, from 0"},
    {"@attempts", "", "copy attempts so far"},
    {"@live", "", "those between two different cells, which could change something"},
    {"@accepted", "", "those that did"},
    {"@type_names", "", "names of the types, the medium first"},
    {"@persistence_lags", "MCS", "per type: how far back persistence looks"},
    {"@history_length", "", "centroids per cell in `history`"},
    {"@property_names", "", "of `property`, where cells have properties"},
    {"@size", "sites", "of the lattice: x, y, z; z is 1 in 2-D"},
    {"@periodic", "", "per axis: 1 where it is periodic, 0 where its ends are closed"},
    {"@dimension", "", "2 or 3"},
    {"@kiln_version", "", "that wrote the file"},
};

constexpr const char* kOnMeasures =
    "A row every `measure.every` MCS, at the start and at the end, of the whole tissue, in phases that are "
    "measured. A cell counts where "
    "it "
    "has a site and is not frozen; a *contact* is a pair of Moore neighbours (sites) of two different cells, "
    "of which the medium is one. A *step* is a cell's displacement since the row before. Displacements, "
    "steps "
    "and speeds are of every k-th cell where there are more than 20,000.";

std::vector<ColumnInfo> list(std::span<const ColumnInfo> columns) { return {columns.begin(), columns.end()}; }

std::vector<ColumnInfo> cells_info() {
  std::vector<ColumnInfo> all = list(kCells);
  all.insert(all.end(), std::begin(kLives), std::end(kLives));
  return all;
}

std::vector<TableInfo> make_tables() {
  return {
      {"measures.csv", "Simulation.measures, RunFolder.measures", kOnMeasures, measures_info()},
      {"cells.csv", "Simulation.tracks, RunFolder.tracks; Cells.table() of one moment",
       "A row per cell and sample, every `measure.cells_every` MCS, in order of time, then of id; cells that "
       "are frozen or died out have none. Its first five columns are those that celltrackR's "
       "`read.tracks.csv(file, sep "
       "= \",\")` expects.",
       cells_info()},
      {"cells.h5",
       "RunFolder.tracks",
       "The same for tracks of more than a million rows: a dataset `cells/NAME` per column, `x`, `y` and `z` "
       "in single precision. `@` marks an attribute, `.attrs[...]` in h5py.",
       list(kTrackFile),
       {{"cells.csv", "cells/"}}},
      {"lags.csv", "Simulation.lags, RunFolder.lags",
       "A row per lag, averaged over the whole run: every multiple of `measure.every` up to 64, then about "
       "6% "
       "apart.",
       list(kLags)},
      {"speeds.csv", "Simulation.speeds, RunFolder.speeds",
       "A histogram per phase that is measured and interval, unless `measure.speed_interval_s` is 0; see "
       "[motility](motility.md).",
       list(kSpeeds)},
      {"motility.csv", "Simulation.motility, RunFolder.motility",
       "A row per phase that is measured and interval, unless `measure.speed_interval_s` is 0; see "
       "[motility](motility.md).",
       list(kMotility)},
      {"direction_correlation.csv", "Simulation.direction_correlation, RunFolder.direction_correlation",
       "With `measure.direction_correlation`: a row per bin of distances and interval of speeds, with the "
       "first "
       "that ends at or after every multiple of `measure.cells_every`; see [motility](motility.md).",
       list(kCorrelation)},
      {"lineage.csv", "Simulation.lineage",
       "Of models whose cells have properties, growth or rules: a row per cell that there ever was, written "
       "at the end.",
       list(kLineage)},
      {"sweep.csv",
       "Sweep.runs",
       "[Sweeps](sweeps.md): a row per run, with the last row of its measures and the speeds of its last "
       "measured phase, over the first interval where there are several.",
       list(kSweep),
       {{"measures.csv"}, {"motility.csv"}}},
      {"measures.csv of a sweep",
       "Sweep.measures",
       "[Sweeps](sweeps.md): a row per run and time.",
       list(std::span(kSweep).first(kRunNames)),
       {{"measures.csv"}}},
      {"lattice.h5", "",
       "Snapshots, every `output.lattice_every` MCS and at the end: a group `mcs_N` each, N with eight "
       "digits. "
       "Arrays by site have the shape (z, y, x), or (y, x) in 2-D; those by id begin with the medium. `@` "
       "marks an "
       "attribute, `.attrs[...]` in h5py.",
       list(kLatticeFile)},
      {"checkpoint.h5", "",
       "The state to go on from. Its layout may change with a version of Kiln; `kiln.Simulation.load` reads "
       "it.",
       list(kCheckpointFile)},
  };
}

}  // namespace

const std::vector<TableInfo>& all_tables() {
  static const std::vector<TableInfo> tables = make_tables();
  return tables;
}

const TableInfo& table_named(std::string_view file) {
  for (const TableInfo& table : all_tables())
    if (table.file == file) return table;
  throw std::logic_error("no table is called " + std::string(file));
}

const ColumnInfo* find_column(const TableInfo& table, std::string_view name) {
  for (const ColumnInfo& column : table.columns)
    if (column.name == name) return &column;
  for (const auto& [file, group] : table.included)
    if (name.starts_with(group))
      if (const ColumnInfo* found = find_column(table_named(file), name.substr(group.size()))) return found;
  return nullptr;
}

const ColumnInfo& column_named(std::string_view file, std::string_view name) {
  if (const ColumnInfo* found = find_column(table_named(file), name)) return *found;
  throw std::logic_error(std::string(file) + " has no column " + std::string(name));
}

void set_unit(const hdf5::Object& dataset, const ColumnInfo& column) {
  std::string unit(column.unit);
  for (std::size_t at; (at = unit.find("µ")) != std::string::npos;) unit.replace(at, std::strlen("µ"), "u");
  if (!unit.empty()) dataset.set("unit", unit);
}

std::vector<std::string> names_of(std::span<const ColumnInfo> columns) {
  std::vector<std::string> names;
  for (const ColumnInfo& column : columns) names.emplace_back(column.name);
  return names;
}

std::span<const ColumnInfo> cells_columns() { return kCells; }
std::span<const ColumnInfo> lives_columns() { return std::span(kLives).first(std::size(kLives) - 1); }
std::span<const ColumnInfo> lag_columns() { return kLags; }
std::span<const ColumnInfo> speed_columns(bool several_intervals) {
  return std::span(kSpeeds).first(std::size(kSpeeds) - (several_intervals ? 0 : 1));
}
std::span<const ColumnInfo> motility_columns() { return std::span(kMotility).subspan(1); }
std::span<const ColumnInfo> correlation_columns() { return kCorrelation; }
std::span<const ColumnInfo> lineage_columns() { return std::span(kLineage).first(std::size(kLineage) - 1); }
std::span<const ColumnInfo> sweep_columns() { return std::span(kSweep).subspan(1); }

}  // namespace kiln
