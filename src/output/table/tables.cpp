#include "output/table/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kiln {
namespace {

struct MeasureColumn {
  ColumnInfo info;
  TableValue (*value)(const MeasureRow& row);
};

constexpr MeasureColumn kAlways[] = {
    {{"mcs", "MCS", "Monte Carlo steps since the beginning"},
     [](const MeasureRow& r) -> TableValue { return r.mcs; }},
    {{"t_min", "min", "time since MCS 0: `mcs` x `units.seconds_per_mcs` / 60"},
     [](const MeasureRow& r) -> TableValue { return r.minutes; }},
    {{"phase", "", "name of the phase that the next MCS belongs to; in the last row, the last one"},
     [](const MeasureRow& r) -> TableValue { return r.phase; }},
    {{"cells", "", "number of cells"}, [](const MeasureRow& r) -> TableValue { return r.cells; }},
    {{"extinct", "", "cells that died out: they have no site any more"},
     [](const MeasureRow& r) -> TableValue { return r.extinct; }},
    {{"fragmented", "",
      "cells in more than one piece (sites that are Moore neighbours hang together); empty on more than 2^26 "
      "sites but for the last row"},
     [](const MeasureRow& r) -> TableValue {
       return r.fragmented ? TableValue(*r.fragmented) : TableValue(kUndefined);
     }},
    {{"acceptance", "", "copies accepted over copy attempts, since the row before"},
     [](const MeasureRow& r) -> TableValue { return r.acceptance.of_attempts; }},
    {{"live_fraction", "",
      "attempts between two different cells (or a cell and the medium), the only ones that can change "
      "anything, over all attempts, since the row before"},
     [](const MeasureRow& r) -> TableValue { return r.acceptance.live_share; }},
    {{"volume_mean", "sites", "mean volume of a cell"},
     [](const MeasureRow& r) -> TableValue { return r.size.volume.mean; }},
    {{"volume_sd", "sites", "its standard deviation over cells (n - 1)"},
     [](const MeasureRow& r) -> TableValue { return r.size.volume.sd; }},
    {{"perimeter_mean", "pairs of sites", "mean perimeter of a cell, as in cells.csv"},
     [](const MeasureRow& r) -> TableValue { return r.size.perimeter.mean; }},
    {{"perimeter_sd", "pairs of sites", "its standard deviation over cells (n - 1)"},
     [](const MeasureRow& r) -> TableValue { return r.size.perimeter.sd; }},
    {{"homotypic", "contacts", "between two cells of the same type, which is not frozen"},
     [](const MeasureRow& r) -> TableValue { return r.interface.homotypic; }},
    {{"heterotypic", "contacts", "between two cells of different types, neither of them frozen"},
     [](const MeasureRow& r) -> TableValue { return r.interface.heterotypic; }},
    {{"with_medium", "contacts", "between a cell and the medium"},
     [](const MeasureRow& r) -> TableValue { return r.interface.with_medium; }},
    {{"with_frozen", "contacts", "between a cell and a frozen one"},
     [](const MeasureRow& r) -> TableValue { return r.interface.with_frozen; }},
    {{"displacement_um", "µm", "mean distance of a cell's centroid from where it was in the first row"},
     [](const MeasureRow& r) -> TableValue { return r.motion.displacement_um; }},
    {{"speed_um_per_min", "µm/min",
      "mean length of a step over its duration. It depends on `measure.every`: the shorter, the more jitter "
      "of "
      "the outline it holds; motility.csv has speeds over a fixed interval"},
     [](const MeasureRow& r) -> TableValue { return r.motion.speed_um_per_min; }},
    {{"msd_um2", "µm²", "mean squared displacement from the first row"},
     [](const MeasureRow& r) -> TableValue { return r.motion.msd_um2; }},
    {{"order_index", "",
      "length of the mean of the steps' directions (unit vectors): 1 where all cells go the same way, near 0 "
      "where they go all ways"},
     [](const MeasureRow& r) -> TableValue { return r.motion.order_index; }},
    {{"direction_autocorrelation", "",
      "mean cosine of the angle between a cell's step and the first step that it made"},
     [](const MeasureRow& r) -> TableValue { return r.motion.direction_autocorrelation; }},
    {{"straightness", "",
      "mean of each cell's displacement from the first row over the length of its path, the sum of all "
      "steps: "
      "1 for a straight line"},
     [](const MeasureRow& r) -> TableValue { return r.motion.straightness; }},
    {{"medium_sites", "sites", "sites of the medium: the open area of a wound, or volume in 3-D"},
     [](const MeasureRow& r) -> TableValue { return r.medium_sites; }},
};

constexpr MeasureColumn kEnergy[] = {
    {{"energy", "energy", "of the tissue, the sum of the columns that follow"},
     [](const MeasureRow& r) -> TableValue { return r.energy.sum(); }},
    {{"energy_adhesion", "energy",
      "J over all contacts, those of frozen cells among them; empty on more than 2^26 sites but for the last "
      "row where `neighbourhood.adhesion` is not Moore"},
     [](const MeasureRow& r) -> TableValue { return r.energy.adhesion; }},
};
// A column per term that has an energy.
constexpr ColumnInfo kEnergyOfTerm = {
    "energy_TERM", "energy",
    "for `volume`, `perimeter` and `length`: the term's sum over cells, 0 where no type has it. Act, "
    "chemotaxis, "
    "persistence and connectivity weigh copies and have no energy of their own"};

// In 2-D, um2 stands for um3.
constexpr MeasureColumn kExplored[] = {
    {{"explored_sites", "sites",
      "with `measure.explored`: sites that belonged to any cell at the phase's start or at a row since"},
     [](const MeasureRow& r) -> TableValue { return r.explored->sites; }},
    {{"explored_um3", "µm³", "likewise: their volume; `explored_um2`, an area, in 2-D"},
     [](const MeasureRow& r) -> TableValue { return r.explored->size; }},
    {{"explored_um3_per_cell", "µm³", "likewise: that over the number of cells; `um2` in 2-D"},
     [](const MeasureRow& r) -> TableValue { return r.explored->per_cell; }},
    {{"visited_um3_mean", "µm³", "likewise: mean of what each cell has visited itself; `um2` in 2-D"},
     [](const MeasureRow& r) -> TableValue { return r.explored->visited_mean; }},
};

constexpr MeasureColumn kMixed = {
    {"mixed_fraction", "",
     "with `measure.halves`: share of the lower half's cells that touch a cell of the upper half"},
    [](const MeasureRow& r) -> TableValue { return *r.mixed_fraction; }};

// A column per distance.
constexpr ColumnInfo kMixedWithin = {"mixed_within_A_um", "",
                                     "for every distance A of `measure.mixed_within_um`: share of the lower "
                                     "half's cells with the centroid of a "
                                     "cell of the upper half at that distance or less"};

struct TypeColumn {
  ColumnInfo info;
  TableValue (*value)(const TypeRow& row);
};

// A column of each per type, one type after the other.
constexpr TypeColumn kOfTypes[] = {
    {{"cells_A", "", "where there are several types that are not frozen, for each of them: number of cells"},
     [](const TypeRow& r) -> TableValue { return r.cells; }},
    {{"volume_mean_A", "sites", "likewise: mean volume"},
     [](const TypeRow& r) -> TableValue { return r.volume.mean; }},
    {{"volume_sd_A", "sites", "likewise: its standard deviation over cells (n - 1)"},
     [](const TypeRow& r) -> TableValue { return r.volume.sd; }},
    {{"speed_um_per_min_A", "µm/min", "likewise: mean speed, as `speed_um_per_min`"},
     [](const TypeRow& r) -> TableValue { return r.speed_um_per_min; }},
};

// A column per pair of types.
constexpr ColumnInfo kContact = {
    "contact_A_B", "",
    "for every type A that is not frozen and every type B, `medium` among them: the share of the (site of an "
    "A "
    "cell, Moore neighbour outside of the cell) pairs whose other site is of type B: what an average A cell "
    "has around it. The shares of one A add up to 1; `contact_A_A` are other cells of type A"};

struct SubstanceColumn {
  ColumnInfo info;
  double (*value)(const SubstanceRow& row);
};

// A column of each per substance, one after the other.
constexpr SubstanceColumn kOfSubstances[] = {
    {{"A_total", "concentration x sites", "for every substance A: what there is of it"},
     [](const SubstanceRow& r) { return r.total; }},
    {{"A_secreted", "concentration x sites", "likewise: by cells since the start (0 in mode `steady`)"},
     [](const SubstanceRow& r) { return r.budget.secreted; }},
    {{"A_taken_up", "concentration x sites", "likewise: by cells since the start"},
     [](const SubstanceRow& r) { return r.budget.taken_up; }},
    {{"A_decayed", "concentration x sites", "likewise: since the start"},
     [](const SubstanceRow& r) { return r.budget.decayed; }},
    {{"A_crossed_walls", "concentration x sites", "likewise: what came in through the sides, less what left"},
     [](const SubstanceRow& r) { return r.budget.crossed_walls; }},
    {{"A_held", "concentration x sites",
      "likewise: what cells that hold a concentration added, less what they took"},
     [](const SubstanceRow& r) { return r.budget.held; }},
    {{"A_unbalanced", "concentration x sites",
      "likewise: by how much `A_total` differs from its first value and all that came and went: rounding, a "
      "part in 10^12 or so (empty in mode `steady`, where nothing is booked)"},
     [](const SubstanceRow& r) { return r.unbalanced; }},
};

// The name of a column in a model: with its types for A and B, and with areas in 2-D.
std::string in_types(std::string_view name, std::string_view a, std::string_view b) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool alone = i > 0 && name[i - 1] == '_' && (i + 1 == name.size() || name[i + 1] == '_');
    result += alone && name[i] == 'A' ? a : alone && name[i] == 'B' ? b : name.substr(i, 1);
  }
  return result;
}
std::string in_dimension(std::string_view name, int dimension) {
  std::string result(name);
  const std::size_t unit = result.find("um3");
  if (dimension == 2 && unit != std::string::npos) result[unit + 2] = '2';
  return result;
}

}  // namespace

std::vector<ColumnInfo> measures_info() {
  std::vector<ColumnInfo> columns;
  for (const MeasureColumn& column : kAlways) columns.push_back(column.info);
  for (const MeasureColumn& column : kEnergy) columns.push_back(column.info);
  columns.push_back(kEnergyOfTerm);
  for (const MeasureColumn& column : kExplored) columns.push_back(column.info);
  columns.push_back(kMixed.info);
  columns.push_back(kMixedWithin);
  for (const TypeColumn& column : kOfTypes) columns.push_back(column.info);
  columns.push_back(kContact);
  for (const SubstanceColumn& column : kOfSubstances) columns.push_back(column.info);
  return columns;
}

std::vector<std::string> measures_columns(const Model& model) {
  std::vector<std::string> columns;
  for (const MeasureColumn& column : kAlways) columns.emplace_back(column.info.name);
  for (const MeasureColumn& column : kEnergy) columns.emplace_back(column.info.name);
  for (const char* term : energy_terms()) columns.push_back("energy_" + std::string(term));
  if (model.measure.explored)
    for (const MeasureColumn& column : kExplored)
      columns.push_back(in_dimension(column.info.name, model.lattice.dimension));
  if (model.measure.halves) columns.emplace_back(kMixed.info.name);
  for (const double um : model.measure.mixed_within_um)
    columns.push_back(in_types(kMixedWithin.name, fmt::format("{:g}", um), ""));
  for (const TypeId type : types_apart(model.types))
    for (const TypeColumn& column : kOfTypes)
      columns.push_back(in_types(column.info.name, model.types[type].name, ""));
  for (const auto& [a, b] : contact_pairs(model.types))
    columns.push_back(in_types(kContact.name, model.types[a].name, model.types[b].name));
  for (const SubstanceData& substance : model.substances)
    for (const SubstanceColumn& column : kOfSubstances)
      columns.push_back(substance.name + std::string(std::string_view(column.info.name).substr(1)));
  return columns;
}

std::vector<TableValue> measures_fields(const MeasureRow& row) {
  std::vector<TableValue> fields;
  for (const MeasureColumn& column : kAlways) fields.push_back(column.value(row));
  for (const MeasureColumn& column : kEnergy) fields.push_back(column.value(row));
  for (const double of_term : row.energy.of_terms) fields.push_back(of_term);
  if (row.explored)
    for (const MeasureColumn& column : kExplored) fields.push_back(column.value(row));
  if (row.mixed_fraction) fields.push_back(kMixed.value(row));
  fields.insert(fields.end(), row.mixed_within.begin(), row.mixed_within.end());
  for (const TypeRow& of_type : row.of_types)
    for (const TypeColumn& column : kOfTypes) fields.push_back(column.value(of_type));
  fields.insert(fields.end(), row.contact_fractions.begin(), row.contact_fractions.end());
  for (const SubstanceRow& substance : row.substances)
    for (const SubstanceColumn& column : kOfSubstances) fields.push_back(column.value(substance));
  return fields;
}

void add_measures(CsvTable& table, const MeasureRow& row) { table.add(measures_fields(row)); }

namespace {

// Mothers and generations are whole numbers; ages are kept in MCS.
TableValue life_value(const CellRow& row, std::size_t i, const Model& model) {
  const double value = row.living[i];
  if (std::isnan(value)) return TableValue(kUndefined);
  if (i < kAgeOfLife) return int64_t(value);
  return i == kAgeOfLife ? value * model.units.seconds_per_mcs : value;
}

}  // namespace

std::vector<std::string> names_of_lives(const Model& model) {
  if (model.living == nullptr) return {};
  std::vector<std::string> names = names_of(lives_columns());
  for (const Property& property : model.living->properties) names.push_back(property.name);
  return names;
}

std::vector<std::string> names_of_tracks(const Model& model) {
  std::vector<std::string> names = names_of(cells_columns());
  for (std::string& name : names_of_lives(model)) names.push_back(std::move(name));
  return names;
}

void add_cells(CsvTable& table, int64_t mcs, std::span<const CellRow> rows, const Model& model) {
  const double seconds = double(mcs) * model.units.seconds_per_mcs;
  table.add_rows(int64_t(rows.size()), [&](int64_t number, std::span<TableValue> fields) {
    const CellRow& row = rows[std::size_t(number)];
    const Vec3d place = row.position * model.units.voxel_um;
    const TableValue values[] = {int64_t(row.id),
                                 seconds,
                                 place.x,
                                 place.y,
                                 place.z,
                                 mcs,
                                 std::string_view(model.types[row.type].name),
                                 int64_t(row.volume),
                                 int64_t(row.perimeter),
                                 int64_t(row.neighbours)};
    const auto lives = std::copy(std::begin(values), std::end(values), fields.begin());
    for (std::size_t i = 0; i < row.living.size(); ++i) lives[std::ptrdiff_t(i)] = life_value(row, i, model);
  });
}

Rows lineage_rows(const Cells& cells, const Model& model) {
  constexpr std::string_view kEnds[] = {"alive", "divided", "died", "vanished"};
  const Living& living = *model.living;
  Rows table{names_of(lineage_columns()), {}};
  for (const Property& property : living.properties) table.columns.push_back(property.name);
  std::vector<int64_t> roots(cells.count());
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const Cells::Life& life = cells.life[cell];
    roots[cell] = life.parent == 0 ? int64_t(cell) : roots[std::size_t(life.parent)];
    const auto or_empty = [](int64_t value, bool known) {
      return known ? TableValue(value) : TableValue(kUndefined);
    };
    std::vector<TableValue> row = {int64_t(cell),
                                   or_empty(life.parent, life.parent != 0),
                                   roots[cell],
                                   int64_t(life.generation),
                                   std::string_view(model.types[cells.type[cell]].name),
                                   life.born,
                                   or_empty(life.ended, life.ended >= 0),
                                   kEnds[std::size_t(life.end)],
                                   int64_t(cells.extent[cell].volume),
                                   life.target};
    for (std::size_t p = 0; p < living.properties.size(); ++p)
      row.push_back(cells.property[cell * living.properties.size() + p]);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Rows lag_rows(std::span<const Lag> lags) {
  Rows table{names_of(lag_columns()), {}};
  for (const Lag& lag : lags)
    table.rows.push_back({lag.seconds, lag.msd_um2, lag.direction_autocorrelation, lag.pairs});
  return table;
}

}  // namespace kiln
