// The tables of a run: how measures become rows. All are plain CSV with a header and no comments; an empty
// field is a value that has no meaning there. Columns are defined in columns.hpp.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "measure/cell_table.hpp"
#include "measure/recorder.hpp"
#include "model/model.hpp"
#include "output/table/columns.hpp"
#include "output/table/table.hpp"

namespace kiln {

// measures.csv. Columns of measures that a model does not ask for are left out.
std::vector<ColumnInfo> measures_info();  // all of them
std::vector<std::string> measures_columns(const Model& model);
// Its values in the order of the columns; those of texts lie in the row.
std::vector<TableValue> measures_fields(const MeasureRow& row);
void add_measures(CsvTable& table, const MeasureRow& row);

// The names of columns that cells.csv and cells.h5 have where cells live; and of all.
std::vector<std::string> names_of_lives(const Model& model);
std::vector<std::string> names_of_tracks(const Model& model);

// cells.csv, with names_of_tracks().
void add_cells(CsvTable& table, int64_t mcs, std::span<const CellRow> rows, const Model& model);

// lags.csv.
// A row per cell that there ever was.
Rows lineage_rows(const Cells& cells, const Model& model);
Rows lag_rows(std::span<const Lag> lags);

}  // namespace kiln
