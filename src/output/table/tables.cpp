#include "output/table/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace kiln {

std::vector<std::string> measures_columns(const Model& model) {
  std::vector<std::string> columns = {"mcs",         "t_min",           "phase",
                                      "cells",       "extinct",         "fragmented",
                                      "acceptance",  "live_fraction",   "volume_mean",
                                      "volume_sd",   "perimeter_mean",  "perimeter_sd",
                                      "homotypic",   "heterotypic",     "with_medium",
                                      "with_frozen", "displacement_um", "speed_um_per_min",
                                      "msd_um2",     "order_index",     "direction_autocorrelation",
                                      "straightness"};
  if (model.measure.explored) {
    const char* unit = model.lattice.dimension == 2 ? "um2" : "um3";
    columns.insert(columns.end(),
                   {"explored_sites", fmt::format("explored_{}", unit),
                    fmt::format("explored_{}_per_cell", unit), fmt::format("visited_{}_mean", unit)});
  }
  if (model.measure.halves) columns.push_back("mixed_fraction");
  for (const auto& [a, b] : contact_pairs(model.types))
    columns.push_back(fmt::format("contact_{}_{}", model.types[a].name, model.types[b].name));
  return columns;
}

std::vector<Field> measures_fields(const MeasureRow& row) {
  std::vector<Field> fields = {
      row.mcs,
      row.minutes,
      row.phase,
      row.cells,
      row.extinct,
      row.fragmented ? Field(*row.fragmented) : Field(kUndefined),
      row.acceptance.of_attempts,
      row.acceptance.live_share,
      row.size.volume.mean,
      row.size.volume.sd,
      row.size.perimeter.mean,
      row.size.perimeter.sd,
      row.interface.homotypic,
      row.interface.heterotypic,
      row.interface.with_medium,
      row.interface.with_frozen,
      row.motion.displacement_um,
      row.motion.speed_um_per_min,
      row.motion.msd_um2,
      row.motion.order_index,
      row.motion.direction_autocorrelation,
      row.motion.straightness,
  };
  if (row.explored)
    fields.insert(fields.end(), {row.explored->sites, row.explored->size, row.explored->per_cell,
                                 row.explored->visited_mean});
  if (row.mixed_fraction) fields.push_back(*row.mixed_fraction);
  fields.insert(fields.end(), row.contact_fractions.begin(), row.contact_fractions.end());
  return fields;
}

void add_measures(CsvTable& table, const MeasureRow& row) { table.add(measures_fields(row)); }

std::vector<std::string> cells_columns() {
  return {"id", "t", "x", "y", "z", "mcs", "type", "volume", "perimeter", "neighbours"};
}

void add_cells(CsvTable& table, int64_t mcs, std::span<const CellRow> rows, const Model& model) {
  const double seconds = double(mcs) * model.units.seconds_per_mcs;
  table.add_rows(int64_t(rows.size()), [&](int64_t number, std::span<Field> fields) {
    const CellRow& row = rows[std::size_t(number)];
    const Vec3d place = row.position * model.units.voxel_um;
    const Field values[] = {int64_t(row.id),
                            seconds,
                            place.x,
                            place.y,
                            place.z,
                            mcs,
                            std::string_view(model.types[row.type].name),
                            int64_t(row.volume),
                            int64_t(row.perimeter),
                            int64_t(row.neighbours)};
    std::copy(std::begin(values), std::end(values), fields.begin());
  });
}

Rows lag_rows(std::span<const Lag> lags) {
  Rows table{{"lag", "msd", "direction_autocorrelation", "pairs"}, {}};
  for (const Lag& lag : lags)
    table.rows.push_back({lag.seconds, lag.msd_um2, lag.direction_autocorrelation, lag.pairs});
  return table;
}

}  // namespace kiln
