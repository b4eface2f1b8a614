#include "output/table/cell_tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "data/hdf5/file.hpp"  // kHasHdf5
#include "output/table/tables.hpp"

namespace kiln {
namespace {

using Format = MeasureSettings::CellsFormat;

CsvTable csv_table(const RunFolder& folder, const Model& model, std::optional<int64_t> last_mcs) {
  const std::vector<std::string> columns = names_of_tracks(model);
  return last_mcs ? CsvTable::continue_from(folder.cells(), columns, *last_mcs)
                  : CsvTable(folder.cells(), columns);
}

}  // namespace

TrackPlan plan_tracks(const MeasureSettings& settings, int64_t cells, int64_t samples) {
  const double rows = double(cells) / double(settings.one_cell_in.value_or(1)) * double(samples);
  TrackPlan plan;
  plan.hdf5 = kHasHdf5 && settings.cells_format != Format::csv &&
              (settings.cells_format == Format::hdf5 || rows > double(kMostCsvRows));
  plan.one_cell_in = settings.one_cell_in.value_or(
      sampling_stride(cells, samples, plan.hdf5 ? kMostHdf5Rows : kMostCsvRows));
  return plan;
}

std::vector<std::string> track_notes(const TrackPlan& plan, const MeasureSettings& settings) {
  std::vector<std::string> notes;
  if (settings.cells_format == Format::hdf5 && !plan.hdf5)
    notes.push_back("No cells.h5 but cells.csv: this build has no HDF5 (install libhdf5-dev and rebuild).");
  if (plan.one_cell_in > 1)
    notes.push_back(fmt::format(
        "{} holds one cell in {} (ids 1, {}, {}, ...){}.", plan.hdf5 ? "cells.h5" : "cells.csv",
        plan.one_cell_in, 1 + plan.one_cell_in, 1 + 2 * plan.one_cell_in,
        settings.one_cell_in ? ""
                             : fmt::format(", to stay below {} rows; measure.one_cell_in = 1 asks for all",
                                           plan.hdf5 ? "100 million" : "a million")));
  return notes;
}

CellTracks::CellTracks(const RunFolder& folder, const Model& model, const TrackPlan& plan,
                       std::optional<int64_t> last_mcs)
    : model_(&model),
      lives_(names_of_lives(model)),
      table_(plan.hdf5 ? std::variant<CsvTable, TrackTable>(
                             TrackTable(folder.tracks(), model, plan.one_cell_in, last_mcs))
                       : csv_table(folder, model, last_mcs)) {}

// A model may change on the way, and with it which properties there are; but not the table's columns.
std::vector<CellRow> CellTracks::fitted(std::span<const CellRow> rows) const {
  const std::vector<std::string> now = names_of_lives(*model_);
  std::vector<CellRow> result(rows.begin(), rows.end());
  for (std::size_t row = 0; row < result.size(); ++row) {
    std::vector<double>& living = result[row].living;
    living.assign(lives_.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < lives_.size(); ++i) {
      const auto known = std::size_t(std::find(now.begin(), now.end(), lives_[i]) - now.begin());
      if (known < rows[row].living.size()) living[i] = rows[row].living[known];
    }
  }
  return result;
}

void CellTracks::add(int64_t mcs, std::span<const CellRow> given) {
  std::vector<CellRow> other;
  if (!given.empty() && names_of_lives(*model_) != lives_) other = fitted(given);
  const std::span<const CellRow> rows = other.empty() ? given : other;
  if (auto* csv = std::get_if<CsvTable>(&table_))
    add_cells(*csv, mcs, rows, *model_);
  else
    std::get<TrackTable>(table_).add(mcs, rows);
  std::visit([](auto& table) { table.flush(); }, table_);
}

void CellTracks::sync() {
  std::visit([](auto& table) { table.sync(); }, table_);
}

void CellTracks::finish() {
  std::visit([](auto& table) { table.finish(); }, table_);
}

}  // namespace kiln
