// The tables of a run: what their columns are and how measures become rows. All are plain CSV with a header
// and no comments; an empty field is a value that has no meaning there.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/cell_table.hpp"
#include "measure/recorder.hpp"
#include "model/model.hpp"
#include "output/table/table.hpp"

namespace kiln {

// measures.csv: one row per sample of the whole tissue. `acceptance` is accepted / attempts and
// `live_fraction` live / attempts, both since the row before. `contact_a_b` is the share of the interface of
// cells of type a that faces type b. Columns of measures that a model does not ask for are left out.
std::vector<std::string> measures_columns(const Model& model);
// Its values in the order of the columns; those of texts lie in the row.
std::vector<Field> measures_fields(const MeasureRow& row);
void add_measures(CsvTable& table, const MeasureRow& row);

// cells.csv: one row per cell and sample; id, t (seconds), x, y, z (micrometres, unwrapped) stand first,
// where celltrackR's read.tracks.csv(file, sep = ",") looks for them.
std::vector<std::string> cells_columns();
void add_cells(CsvTable& table, int64_t mcs, std::span<const CellRow> rows, const Model& model);

// lags.csv: averages over all starting times, per lag.
Rows lag_rows(std::span<const Lag> lags);

}  // namespace kiln
